// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Waiting in the midst of what must be done whole or not at all. Thread.Interrupt() ends no such wait: it stays for the next wait
// of the thread, which is the program's own.
using System;
using System.Threading;

namespace ClPool.Interop
{
    internal static class Uninterrupted
    {
        private static readonly Action<object> enter = Monitor.Enter;

        /// <summary>Locks a door until the result is disposed of.</summary>
        internal static Locked Lock(object door)
        {
            Do(enter, door);
            return new Locked(door);
        }

        /// <summary>Does what waits before it does anything.</summary>
        internal static void Do<T>(Action<T> action, T argument)
        {
            bool interrupted = false;
            for (bool done = false; !done;)
            {
                try
                {
                    action(argument);
                    done = true;
                }
                catch (ThreadInterruptedException)
                {
                    interrupted = true;
                }
            }
            if (interrupted) Thread.CurrentThread.Interrupt();
        }

        /// <summary>Waits as long as the condition holds, for so many turns at most.</summary>
        internal static void SpinWhile<T>(T state, Func<T, bool> condition, int turns = int.MaxValue)
        {
            SpinWait spin = new SpinWait();
            bool interrupted = false;
            for (; turns > 0 && condition(state); turns--)
            {
                try
                {
                    spin.SpinOnce();
                }
                catch (ThreadInterruptedException)
                {
                    interrupted = true;
                }
            }
            if (interrupted) Thread.CurrentThread.Interrupt();
        }

        internal struct Locked : IDisposable
        {
            private readonly object door;

            internal Locked(object door) { this.door = door; }

            public void Dispose() { Monitor.Exit(door); }
        }
    }
}

// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Waiting in the midst of what must be done whole or not at all. Thread.Interrupt() ends no such wait: it stays for the next wait
// of the thread, which is the program's own. Nothing here needs memory.
using System;
using System.Threading;

namespace ClPool.Interop
{
    internal static class Uninterrupted
    {
        /// <summary>Locks a door until the result is disposed of.</summary>
        internal static Locked Lock(object door)
        {
            bool interrupted = false;
            for (;;)
            {
                try
                {
                    Monitor.Enter(door);
                    break;
                }
                catch (ThreadInterruptedException)
                {
                    interrupted = true;
                }
            }
            if (interrupted) Thread.CurrentThread.Interrupt();
            return new Locked(door);
        }

        internal struct Locked : IDisposable
        {
            private readonly object door;

            internal Locked(object door) { this.door = door; }

            public void Dispose() { Monitor.Exit(door); }
        }

        /// <summary>A SpinWait.</summary>
        internal struct Spin
        {
            private SpinWait spin;
            private bool interrupted;

            /// <summary>Waits for one turn, the longer the more there were.</summary>
            internal void Once()
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

            /// <summary>Ends the wait.</summary>
            internal void End()
            {
                if (interrupted) Thread.CurrentThread.Interrupt();
            }
        }
    }
}

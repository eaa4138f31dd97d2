// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Commands whose end somebody awaits: one thread completes the tasks of all of them. Native code tells it (common/ends.hpp): the
// driver could call managed code, but Mono's end would wait for the driver's thread for ever. It does so for a thread within a
// native call, too: those calls are short. Between them it looks at the commands that nothing was told of, since there are
// drivers (PoCL 3) that tell nothing of a command that failed.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace ClPool.Interop
{
    internal static unsafe class Completions
    {
        private const int Turn = 50;   // milliseconds of a native call
        private const int Idle = 1000; // milliseconds after which a thread ends that nobody needs
        private const int AtOnce = 64;
        private const int Unknown = int.MaxValue;
        private const int MostLooks = 20; // a second

        private sealed class Awaited
        {
            internal readonly ClEvent Event;
            // What follows runs on the thread pool.
            internal readonly TaskCompletionSource<bool> Source = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);

            internal int Told = Unknown; // by the driver
            internal int Looks; // in vain, of which an end is told

            internal Awaited(ClEvent own) { Event = own; }
        }

        private static readonly object door = new object();
        private static readonly Dictionary<ulong, Awaited> waiting = new Dictionary<ulong, Awaited>();
        private static IntPtr ends; // the running thread's, of this assembly: another's numbers mean nothing here
        private static ulong last;
        private static bool runs;

        /// <summary>The end of an event's command, which is none of the caller's any more.</summary>
        internal static Task Of(ClEvent own)
        {
            int state = StateOf(own);
            if (state > 0) return Expect(new Awaited(own));
            own.Dispose();
            return state == 0 ? Task.CompletedTask : Task.FromException(Errors.OfCommand(state));
        }

        /// <summary>The state of an event's command: 0 if it is complete, less if it failed, more if it goes on, as far as can be said:
        /// that the driver does not answer is no end.</summary>
        internal static int StateOf(ClEvent asked)
        {
            int state, code;
            using (Borrowed used = Arguments.Borrow(asked, "asked")) code = Native.csharp_event_state(used.Value, &state);
            return code == 0 ? state : Unknown;
        }

        private static Task Expect(Awaited awaited)
        {
            using (Borrowed used = Arguments.Borrow(awaited.Event, "awaited"))
            {
                ulong number;
                IntPtr told;
                Thread? begins = null;
                lock (door)
                {
                    if (ends == IntPtr.Zero) ends = Native.csharp_ends_create();
                    if (ends == IntPtr.Zero) throw new ClPoolException(Status.OutOfHostMemory, "the system has no eventfd for the ends of commands");
                    told = ends;
                    if (!runs) begins = new Thread(() => Run(told)) { IsBackground = true, Name = "ClPool events" };
                    runs = true;
                    Native.csharp_ends_retain(told); // the thread may end before this one goes on
                    number = ++last;
                    waiting.Add(number, awaited);
                    Monitor.Pulse(door);
                }
                try
                {
                    if (begins != null) Begin(begins, number);
                    awaited.Event.FlushQueue();
                    Native.csharp_ends_expect(told, used.Value, number); // where the driver refuses, looking at it finds its end
                }
                finally
                {
                    Native.csharp_ends_release(told);
                }
                return awaited.Source.Task;
            }
        }

        // Without the lock, for which the thread would wait: Mono may not end a process then. Where it cannot begin, such as for want of
        // memory, the next event that is awaited has another one begin, which serves those that came meanwhile, too.
        private static void Begin(Thread thread, ulong number)
        {
            try
            {
                thread.Start();
            }
            catch
            {
                lock (door)
                {
                    runs = false;
                    waiting.Remove(number);
                }
                throw;
            }
        }

        private static void Run(IntPtr own)
        {
            try
            {
                Serve(own);
            }
            finally // also when Mono ends the application domain
            {
                Native.csharp_ends_release(own);
            }
        }

        private static void Serve(IntPtr own)
        {
            ulong* numbers = stackalloc ulong[AtOnce];
            int* states = stackalloc int[AtOnce];
            int looked = Environment.TickCount;
            while (IsNeeded())
            {
                uint count = Native.csharp_ends_fetch(own, Turn, numbers, states, AtOnce);
                for (uint i = 0; i < count; i++) Complete(numbers[i], states[i]);
                if (unchecked(Environment.TickCount - looked) < Turn) continue;
                ulong[] all;
                lock (door) all = waiting.Keys.ToArray();
                foreach (ulong number in all) Complete(number, Unknown);
                looked = Environment.TickCount;
            }
        }

        private static bool IsNeeded()
        {
            lock (door)
            {
                if (waiting.Count == 0) Monitor.Wait(door, Idle);
                runs = waiting.Count != 0;
                if (!runs) ends = IntPtr.Zero; // the next thread has its own
                return runs;
            }
        }

        // Completes a task if its command has ended, as it says itself or as the driver told: PoCL tells 0 also where it failed, which
        // is asked a while where the driver does not answer.
        private static void Complete(ulong number, int told)
        {
            Awaited? awaited;
            lock (door) waiting.TryGetValue(number, out awaited);
            if (awaited == null) return; // was seen before it was told
            int asked = StateOf(awaited.Event);
            awaited.Told = Math.Min(awaited.Told, told);
            int state = Math.Min(awaited.Told, asked);
            if (state > 0 || (state == 0 && asked == Unknown && ++awaited.Looks <= MostLooks)) return;
            lock (door) waiting.Remove(number);
            awaited.Event.Dispose();
            if (state < 0) awaited.Source.SetException(Errors.OfCommand(state));
            else awaited.Source.SetResult(true);
        }
    }
}

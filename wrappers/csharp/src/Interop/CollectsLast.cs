// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A collection of garbage behind the user's function.
using System;

namespace ClPool.Interop
{
    /// <summary>An out-of-memory function, and a collection of garbage when that says no, once a request.</summary>
    internal sealed class CollectsLast
    {
        // For whose request this thread has collected.
        [ThreadStatic]
        private static CollectsLast? collected;

        private readonly Func<long, int, bool> asked;

        private CollectsLast(Func<long, int, bool> asked) { this.asked = asked; }

        internal static Func<long, int, bool> Behind(Func<long, int, bool> asked) { return new CollectsLast(asked).TryAgain; }

        private bool TryAgain(long size, int attempt)
        {
            bool inVain = attempt > 1 && collected == this;
            collected = null;
            if (inVain) return false;
            if (asked(size, attempt)) return true;
            collected = this;
            PoolOptions.CollectGarbage();
            return true;
        }
    }
}

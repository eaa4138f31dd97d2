// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What becomes of forgotten blocks: of this wrapper alone, as it is the garbage collector that finds them.
namespace ClPool
{
    /// <summary>What happens to blocks that nobody disposed of.</summary>
    public enum LeakDetection
    {
        /// <summary>The garbage collector brings them back to the pool. The default.</summary>
        Reclaim,
        /// <summary>As Reclaim, and <see cref="Library.Message"/> tells where each was allocated. Slow.</summary>
        Trace,
        /// <summary>Nothing: they are lost until the process ends. The fastest.</summary>
        Off
    }
}

// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What older frameworks lack of newer ones.
#if !NET
namespace System.Runtime.InteropServices
{
    /// <summary>Understood by modern .NET, harmless elsewhere.</summary>
    internal sealed class SuppressGCTransitionAttribute : Attribute
    {
    }
}
#endif
#if !NET9_0_OR_GREATER
namespace System.Runtime.CompilerServices
{
    /// <summary>Understood by compilers of C# 13 and later, wherever it is declared.</summary>
    [AttributeUsage(AttributeTargets.Method | AttributeTargets.Constructor | AttributeTargets.Property, Inherited = false)]
    internal sealed class OverloadResolutionPriorityAttribute : Attribute
    {
        public OverloadResolutionPriorityAttribute(int priority) { Priority = priority; }

        public int Priority { get; private set; }
    }
}
#endif

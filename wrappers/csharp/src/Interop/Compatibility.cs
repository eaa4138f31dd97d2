// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What Mono lacks of modern .NET.
#if !NET
namespace System.Runtime.InteropServices
{
    /// <summary>Understood by modern .NET, harmless elsewhere.</summary>
    internal sealed class SuppressGCTransitionAttribute : Attribute
    {
    }
}
#endif

// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The assembly's identity.
using System.Reflection;

[assembly: AssemblyTitle("ClPool")]
[assembly: AssemblyDescription("The memory layer for OpenCL: pools, allocators, memory runtime")]
[assembly: AssemblyVersion("1.0.0.0")]
[assembly: AssemblyFileVersion("1.0.0.0")]
#if NET
// What the project's properties of these names would write, which want an analyzer that would have to be downloaded.
[assembly: AssemblyMetadata("IsTrimmable", "True")]
[assembly: AssemblyMetadata("IsAotCompatible", "True")]
#endif

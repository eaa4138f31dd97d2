// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The assembly's identity.
using System.Reflection;

[assembly: AssemblyTitle("ClPool")]
[assembly: AssemblyDescription("The memory layer for OpenCL: pools, allocators, memory runtime")]
[assembly: AssemblyVersion("1.0.0.0")]
[assembly: AssemblyFileVersion("1.0.0.0")]

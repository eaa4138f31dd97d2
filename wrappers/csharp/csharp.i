/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* C#: flat, internal P/Invoke functions in which every type is blittable, so that no marshalling code runs and 64-bit
 * sizes stay 64-bit: handles are IntPtr, every other pointer is void *, statuses are int and are thrown by managed
 * code. Structs are made of the headers (tests compare them with the C layout).
 *
 * Nothing is registered with native code: SWIG's exception and string helpers are process-wide, which breaks with more
 * than one application domain. wrappers/csharp/CMakeLists.txt turns them off.
 */
%pragma(csharp) imclassclassmodifiers="internal static unsafe class"
%pragma(csharp) moduleclassmodifiers="internal static unsafe class"

/* Numbers of the headers become constants of managed code. */
%csconst(1);

%typemap(csout) void { Glue.Need(); $imcall; }

/* CTYPE crosses as GLUE in C and CS in C#, unchanged. */
%define CLPOOL_CS(CTYPE, GLUE, CS)
%typemap(ctype) CTYPE "GLUE"
%typemap(imtype) CTYPE "CS"
%typemap(cstype) CTYPE "CS"
%typemap(in) CTYPE %{ $1 = ($1_ltype)$input; %}
%typemap(out) CTYPE %{ $result = (GLUE)$1; %}
%typemap(csin) CTYPE "$csinput"
%typemap(csout) CTYPE { Glue.Need(); return $imcall; }
%typemap(argout) CTYPE ""
%typemap(freearg) CTYPE ""
%enddef

CLPOOL_CS(int32_t, int, int)
CLPOOL_CS(uint32_t, unsigned int, uint)
CLPOOL_CS(int64_t, long long, long)
CLPOOL_CS(uint64_t, unsigned long long, ulong)
CLPOOL_CS(size_t, unsigned long long, ulong)

CLPOOL_CS(SWIGTYPE *, void *, void*)
CLPOOL_CS(SWIGTYPE **, void *, void*)
CLPOOL_CS(SWIGTYPE * const *, void *, void*)
CLPOOL_CS(SWIGTYPE [], void *, void*)
CLPOOL_CS(SWIGTYPE [ANY], void *, void*)
CLPOOL_CS(void *, void *, void*)
CLPOOL_CS(void **, void *, void*)
CLPOOL_CS(int32_t *, void *, void*)
CLPOOL_CS(uint32_t *, void *, void*)
CLPOOL_CS(int64_t *, void *, void*)
CLPOOL_CS(uint64_t *, void *, void*)
CLPOOL_CS(size_t *, void *, void*)
CLPOOL_CS(uint32_t *OUTPUT, void *, void*)
CLPOOL_CS(uint64_t *OUTPUT, void *, void*)
CLPOOL_CS(size_t *OUTPUT, void *, void*)
CLPOOL_CS(char *, void *, void*)
%typemap(out) char * %{ $result = (void *)$1; %}
%typemap(out) SWIGTYPE *, void * %{ $result = (void *)$1; %}

%define CLPOOL_HANDLE(TYPE)
CLPOOL_CS(TYPE *, void *, global::System.IntPtr)
CLPOOL_CS(%arg(TYPE **), void *, void*)
%enddef
%define CLPOOL_CL_HANDLE(TYPE)
CLPOOL_CS(TYPE, void *, global::System.IntPtr)
CLPOOL_CS(%arg(TYPE *), void *, void*)
%enddef

/* A call that neither waits nor calls back: modern .NET need not leave its cooperative mode for it. */
%typemap(imtype, outattributes="[global::System.Runtime.InteropServices.SuppressGCTransition]")
    clpool_status clpool_pool_try_allocate "int"

%include "described/left_out_of_csharp.i"

/* Structs are generated as C# has them. */
%rename("$ignore", regextarget=1, %$isclass) "^clpool_";
%ignore cl_image_format;
%ignore _cl_image_format;

/* What the classes need of OpenCL itself, to own contexts, queues, events and samplers. */
CLPOOL_CL_HANDLE(cl_device_id)
CLPOOL_CL_HANDLE(cl_context)
CLPOOL_CL_HANDLE(cl_command_queue)
CLPOOL_CL_HANDLE(cl_event)
CLPOOL_CL_HANDLE(cl_sampler)
cl_int clRetainContext(cl_context context);
cl_int clReleaseContext(cl_context context);
cl_int clRetainCommandQueue(cl_command_queue queue);
cl_int clReleaseCommandQueue(cl_command_queue queue);
cl_int clRetainEvent(cl_event event);
cl_int clReleaseEvent(cl_event event);
cl_int clSetUserEventStatus(cl_event event, cl_int status);
cl_int clWaitForEvents(cl_uint count, const cl_event *events);
cl_int clReleaseSampler(cl_sampler sampler);

/* What native/ has. */
%{
#include "calls.hpp"
#include "events.hpp"
#include "handlers.hpp"
#include "objects.hpp"
%}
CLPOOL_HANDLE(csharp_domain)
CLPOOL_HANDLE(csharp_ends)
%include "native/calls.hpp"
%include "native/events.hpp"
%include "native/handlers.hpp"
%include "native/objects.hpp"

/* Statuses that have an exception of their own. */
%define CLPOOL_EXCEPTION(STATUS, NAME)
%pragma(csharp) modulecode="      case STATUS: return new NAME(message, clError, inner);\n"
%enddef
%pragma(csharp) modulecode="  internal static System.Exception ExceptionOf(int status, string message, int clError, System.Exception inner) {\n    switch (status) {\n"
%include "described/exceptions.i"
%pragma(csharp) modulecode="      default: return new ClPoolException((Status)status, message, clError, inner);\n    }\n  }\n"

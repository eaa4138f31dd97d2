/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* libclpool for SWIG: the same for every language, which includes its own typemaps below.
 *
 * Structs, numbers and prototypes are read from the public headers; functions are wrapped unless not_wrapped.txt has
 * them. Names stay those of C: what users see is written by hand over this module, in each language's folder.
 * Generated as C++ (swig -c++), so that a wrong type is an error of the compiler.
 */
%module clpool_native

%{
#include <clpool/clpool.h>
%}

%include "common/cl_types.i"
%include "described/functions.i"

#if defined(SWIGPYTHON)
%include "python/python.i"
#elif defined(SWIGJAVA)
%include "java/java.i"
#elif defined(SWIGCSHARP)
%include "csharp/csharp.i"
#endif

%include "common/handles.i"
%include "described/results.i"
%include "common/structs.i"

%include "clpool/status.h"
%include "clpool/message.h"
%include "clpool/mem.h"
%include "clpool/buffer.h"
%include "clpool/svm.h"
%include "clpool/map.h"
%include "clpool/transfer.h"
%include "clpool/image.h"
%include "clpool/sampler.h"
%include "clpool/pipe.h"
%include "clpool/info.h"
%include "clpool/allocator.h"
%include "clpool/pool.h"
%include "clpool/heap.h"
%include "clpool/trace.h"
%include "clpool/memo.h"
%include "clpool/answer.h"
%include "clpool/bank.h"
%include "clpool/characterize.h"
%include "clpool/device.h"
%include "clpool/device_data.h"
%include "clpool/occupancy.h"

/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Every handle type of the C API, once. A language file defines, before this is read:
 *   CLPOOL_HANDLE(TYPE)     typemaps for TYPE *, const TYPE * and TYPE **out of an object of ours
 *   CLPOOL_CL_HANDLE(TYPE)  typemaps for TYPE (a pointer by itself) and TYPE * as a result
 */
%nodefaultctor;
%nodefaultdtor;
%include "described/handles.i"
CLPOOL_CL_HANDLE(cl_platform_id)
CLPOOL_CL_HANDLE(cl_device_id)
CLPOOL_CL_HANDLE(cl_context)
CLPOOL_CL_HANDLE(cl_command_queue)
CLPOOL_CL_HANDLE(cl_mem)
CLPOOL_CL_HANDLE(cl_sampler)
CLPOOL_CL_HANDLE(cl_event)
CLPOOL_CL_HANDLE(cl_kernel)
%clearnodefaultctor;
%clearnodefaultdtor;

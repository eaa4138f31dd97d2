/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* The one table from statuses to kinds of exceptions. A language file defines CLPOOL_STATUS_KIND(STATUS, KIND) and
 * includes this where it makes its own table of it. Kinds are names of exceptions without the ending that the
 * language gives them (Error, Exception); a status that is not here, of a newer library, is the base class.
 */
CLPOOL_STATUS_KIND(CLPOOL_ERROR_INVALID_VALUE, InvalidValue)
CLPOOL_STATUS_KIND(CLPOOL_ERROR_INVALID_OPERATION, InvalidOperation)
CLPOOL_STATUS_KIND(CLPOOL_ERROR_OUT_OF_MEMORY, OutOfMemory)
CLPOOL_STATUS_KIND(CLPOOL_ERROR_OUT_OF_HOST_MEMORY, OutOfHostMemory)
CLPOOL_STATUS_KIND(CLPOOL_ERROR_NOT_SUPPORTED, NotSupported)
CLPOOL_STATUS_KIND(CLPOOL_ERROR_OPENCL, OpenCL)
CLPOOL_STATUS_KIND(CLPOOL_ERROR_CALLBACK, Callback)
CLPOOL_STATUS_KIND(CLPOOL_ERROR_IO, InputOutput)
CLPOOL_STATUS_KIND(CLPOOL_ERROR_BAD_FORMAT, BadFormat)
CLPOOL_STATUS_KIND(CLPOOL_ERROR_NOT_FOUND, NotFound)
CLPOOL_STATUS_KIND(CLPOOL_ERROR_WOULD_BLOCK, WouldBlock)
CLPOOL_STATUS_KIND(CLPOOL_ERROR_INTERNAL, Internal)

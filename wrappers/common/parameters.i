/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Which parameters of the C API are results: the headers' names, as SWIG's OUTPUT typemaps. A language file sees to
 * OUTPUT for uint64_t *, uint32_t *, size_t * and cl_bitfield *, or clears these with %clear where it wants another.
 */
%apply uint64_t *OUTPUT { uint64_t *bin, uint64_t *size, uint64_t *bytes, uint64_t *aligned, uint64_t *words,
                          uint64_t *rounded, uint64_t *value, uint64_t *multiplicity, uint64_t *space };
%apply uint32_t *OUTPUT { uint32_t *count, uint32_t *major, uint32_t *minor, uint32_t *channels,
                          uint32_t *dimensions };
%apply size_t *OUTPUT { size_t *bytes, size_t *size, size_t *offset, size_t *count, size_t *needed,
                        size_t *needed_or_null };
%apply uint64_t *OUTPUT { cl_bitfield *capabilities };

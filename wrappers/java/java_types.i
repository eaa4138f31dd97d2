/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
// How C types look in Java. Handles, pointers and 64-bit numbers are long; a single result called `out` is what
// the function returns; other results go into the first element of an array, which may be null if nobody wants
// them; pairs of pointer and length are arrays. No function is left with an exception pending but by Release
// calls, which JNI allows.

// ---- Numbers -----------------------------------------------------------------------------------------------
%apply long long { size_t, uint64_t, int64_t, cl_ulong, cl_bitfield, cl_device_type, cl_mem_flags,
                   cl_svm_mem_flags, cl_map_flags, cl_mem_migration_flags }

// ---- Statuses: thrown, or turned into the result -----------------------------------------------------------
%define CLPOOL_STATUS_TYPE(TYPE, CODE, THROW)
%typemap(jni) TYPE "jlong"
%typemap(jtype) TYPE "long"
%typemap(jstype) TYPE "long"
%typemap(javain) TYPE "$javainput"
%typemap(javaout) TYPE { return $jnicall; }
%typemap(in) TYPE %{ $1 = ($1_ltype)$input; %}
%typemap(out) TYPE %{
  $result = 0;
  if (CODE != 0) {
    THROW(jenv, $1);
  } else {
    java_forget_cause(jenv);
  }
%}
%enddef
CLPOOL_STATUS_TYPE(clpool_status, $1, java_throw)
CLPOOL_STATUS_TYPE(java_cl_status, $1.code, java_throw_cl)

// ---- Handles and addresses -----------------------------------------------------------------------------------
%define CLPOOL_LONG(TYPE)
%typemap(jni) TYPE "jlong"
%typemap(jtype) TYPE "long"
%typemap(jstype) TYPE "long"
%typemap(javain) TYPE "$javainput"
%typemap(javaout) TYPE { return $jnicall; }
%typemap(in) TYPE %{ $1 = ($1_ltype)(intptr_t)$input; %}
%typemap(out) TYPE %{ $result = (jlong)(intptr_t)$1; %}
%enddef

// One element of an array that may be null.
%define CLPOOL_OUT(TYPE)
%typemap(jni) TYPE "jlongArray"
%typemap(jtype) TYPE "long[]"
%typemap(jstype) TYPE "long[]"
%typemap(javain) TYPE "$javainput"
%typemap(in) TYPE ($*1_ltype value) %{
  value = 0;
  $1 = $input ? &value : nullptr;
%}
%typemap(argout) TYPE %{
  if ($input && !jenv->ExceptionCheck()) {
    const jlong element = (jlong)value$argnum;
    jenv->SetLongArrayRegion($input, 0, 1, &element);
  }
%}
%enddef

// The function's result.
%define CLPOOL_RESULT(TYPE)
%typemap(in, numinputs=0) TYPE out ($*1_ltype value) %{
  value = 0;
  $1 = &value;
%}
%typemap(argout) TYPE out %{ $result = (jlong)(intptr_t)value$argnum; %}
%enddef

%define CLPOOL_HANDLE(NAME)
CLPOOL_LONG(NAME *)
CLPOOL_LONG(const NAME *)
CLPOOL_RESULT(NAME **)
%enddef

%define CLPOOL_CL_HANDLE(NAME)
CLPOOL_LONG(NAME)
CLPOOL_OUT(NAME *)
CLPOOL_RESULT(NAME *)
%enddef

CLPOOL_LONG(void *)
CLPOOL_LONG(const void *)
CLPOOL_OUT(void **)
// As described/results.i names them.
CLPOOL_OUT(size_t *OUTPUT)
CLPOOL_OUT(uint64_t *OUTPUT)
CLPOOL_OUT(uint32_t *OUTPUT)

// ---- Arrays of 64-bit numbers and handles, read ----------------------------------------------------------------
%define CLPOOL_LONGS_BASE(PATTERN)
%typemap(jni) PATTERN "jlongArray"
%typemap(jtype) PATTERN "long[]"
%typemap(jstype) PATTERN "long[]"
%typemap(javain) PATTERN "$javainput"
%typemap(argout) PATTERN ""
%typemap(freearg) PATTERN ""
%enddef

%define CLPOOL_LONGS_IN(TYPE)
CLPOOL_LONGS_BASE(TYPE)
%typemap(in) TYPE (java_longs values) %{
  values.read(jenv, $input);
  $1 = ($1_ltype)values.data();
%}
%enddef
CLPOOL_LONGS_IN(const size_t *)
CLPOOL_LONGS_IN(const cl_bitfield *)

// As the pair (count, pointer) and as (pointer, count).
%define CLPOOL_COUNTED_LONGS_IN(COUNT, TYPE)
CLPOOL_LONGS_BASE((COUNT, TYPE))
%typemap(in) (COUNT, TYPE) (java_longs values) %{
  values.read(jenv, $input);
  $1 = ($1_ltype)values.size();
  $2 = ($2_ltype)values.data();
%}
%enddef
%define CLPOOL_LONGS_COUNTED_IN(TYPE, COUNT)
CLPOOL_LONGS_BASE((TYPE, COUNT))
%typemap(in) (TYPE, COUNT) (java_longs values) %{
  values.read(jenv, $input);
  $1 = ($1_ltype)values.data();
  $2 = ($2_ltype)values.size();
%}
%enddef
CLPOOL_COUNTED_LONGS_IN(cl_uint wait_count, const cl_event *wait_list)
CLPOOL_COUNTED_LONGS_IN(uint32_t count, const cl_event *events)
CLPOOL_LONGS_COUNTED_IN(clpool_mem *const *mems, uint32_t count)
CLPOOL_LONGS_COUNTED_IN(const cl_command_queue *queues, uint32_t queue_count)
CLPOOL_LONGS_COUNTED_IN(const size_t *shape, size_t rank)
CLPOOL_LONGS_COUNTED_IN(const size_t *stored_shape_or_null, size_t stored_rank)

// ---- Arrays that are written: (pointer, capacity) --------------------------------------------------------------
%define CLPOOL_ARRAY_OUT(TYPE, CAPACITY)
CLPOOL_LONGS_BASE((TYPE, CAPACITY))
%typemap(in) (TYPE, CAPACITY) (std::vector<std::remove_pointer_t<$1_ltype>> values) %{
  values.resize($input ? (size_t)jenv->GetArrayLength($input) : 0);
  $1 = values.empty() ? nullptr : values.data();
  $2 = ($2_ltype)values.size();
%}
%typemap(argout) (TYPE, CAPACITY) %{
  for (size_t i = 0; i < values$argnum.size() && !jenv->ExceptionCheck(); ++i) {
    const jlong element = (jlong)values$argnum[i];
    jenv->SetLongArrayRegion($input, (jsize)i, 1, &element);
  }
%}
%enddef
CLPOOL_ARRAY_OUT(cl_device_id *devices, size_t capacity)
CLPOOL_ARRAY_OUT(uint32_t *sizes, size_t capacity)

// Structs of nothing but figures, 64 bits each behind their size: one call gives them all, in the order of the header.
%define CLPOOL_FIGURES(TYPE, NAME)
CLPOOL_LONGS_BASE(TYPE *NAME)
%typemap(in) TYPE *NAME (TYPE figures) %{
  TYPE##_init(&figures);
  $1 = &figures;
%}
%typemap(argout) TYPE *NAME %{
  java_figures(jenv, $input, &figures$argnum, sizeof figures$argnum);
%}
%rename("$ignore") TYPE;
%enddef
%define CLPOOL_FIGURES_OF(TYPE)
CLPOOL_FIGURES(TYPE, stats)
CLPOOL_FIGURES(TYPE, result)
%enddef
%include "described/figures.i"

// The shape of an image: three numbers, read (of structs) and written (by functions).
CLPOOL_LONGS_BASE(size_t shape[3])
%typemap(in) size_t shape[3] (jlong elements[3], size_t values[3]) %{
  elements[0] = elements[1] = elements[2] = 0;
  jenv->GetLongArrayRegion($input, 0, 3, elements);
  for (size_t i = 0; i < 3; ++i) values[i] = (size_t)elements[i];
  $1 = values;
%}
%typemap(argout) size_t shape[3] %{
  for (size_t i = 0; i < 3; ++i) elements$argnum[i] = (jlong)values$argnum[i];
  if (!jenv->ExceptionCheck()) jenv->SetLongArrayRegion($input, 0, 3, elements$argnum);
%}

// Formats of images, two numbers each: order, type.
CLPOOL_LONGS_BASE((cl_image_format *formats, size_t capacity))
%typemap(in) (cl_image_format *formats, size_t capacity) (std::vector<cl_image_format> values) %{
  values.resize($input ? (size_t)jenv->GetArrayLength($input) / 2 : 0);
  $1 = values.empty() ? nullptr : values.data();
  $2 = values.size();
%}
%typemap(argout) (cl_image_format *formats, size_t capacity) %{
  for (size_t i = 0; i < values$argnum.size() && !jenv->ExceptionCheck(); ++i) {
    const jlong pair[2] = {(jlong)values$argnum[i].image_channel_order,
                           (jlong)values$argnum[i].image_channel_data_type};
    jenv->SetLongArrayRegion($input, (jsize)(2 * i), 2, pair);
  }
%}

// ---- Bytes --------------------------------------------------------------------------------------------------------
%define CLPOOL_BYTES_BASE(PATTERN)
%typemap(jni) PATTERN "jbyteArray"
%typemap(jtype) PATTERN "byte[]"
%typemap(jstype) PATTERN "byte[]"
%typemap(javain) PATTERN "$javainput"
%typemap(argout) PATTERN ""
%typemap(freearg) PATTERN ""
%enddef

%define CLPOOL_BYTES_IN(TYPE, COUNT)
CLPOOL_BYTES_BASE((TYPE, COUNT))
%typemap(in) (TYPE, COUNT) (java_bytes values) %{
  values.read(jenv, $input);
  $1 = ($1_ltype)values.data();
  $2 = ($2_ltype)values.size();
%}
%enddef
CLPOOL_BYTES_IN(const void *pattern, size_t pattern_size)
CLPOOL_BYTES_IN(const void *color, size_t color_size)
CLPOOL_BYTES_IN(const void *key, size_t key_size)
CLPOOL_BYTES_IN(const char *text, size_t length)

%define CLPOOL_BYTES_OUT(FIRST, SECOND, POINTER, COUNT, POINTER_LTYPE)
CLPOOL_BYTES_BASE((FIRST, SECOND))
%typemap(in) (FIRST, SECOND) (java_bytes values) %{
  values.make(jenv, $input);
  POINTER = (POINTER_LTYPE)values.data();
  COUNT = values.size();
%}
%typemap(argout) (FIRST, SECOND) %{ values$argnum.write(jenv, $input); %}
%enddef
CLPOOL_BYTES_OUT(char *text, size_t capacity, $1, $2, char *)
CLPOOL_BYTES_OUT(char *buffer, size_t capacity, $1, $2, char *)
CLPOOL_BYTES_OUT(size_t size, void *value, $2, $1, void *)

// Text is UTF-8, which is not JNI's: it goes as bytes.
CLPOOL_BYTES_BASE(const char *)
%typemap(jstype) const char * "String"
%typemap(javain) const char * "Text.toBytes(\"$1_name\", $javainput)"
%typemap(javaout) const char * { return Text.fromBytes($jnicall); }
%typemap(in) const char * (java_bytes values) %{
  values.read(jenv, $input);
  $1 = ($1_ltype)values.text();
%}
%typemap(out) const char * %{ $result = java_text(jenv, $1); %}
CLPOOL_BYTES_BASE(char [ANY])
%typemap(jstype) char [ANY] "String"
%typemap(javaout) char [ANY] { return Text.fromBytes($jnicall); }
%typemap(out) char [ANY] %{ $result = java_text(jenv, $1); %}

// ---- Arrays in structs -----------------------------------------------------------------------------------------
%define CLPOOL_MEMBER_ARRAY(TYPE)
CLPOOL_LONGS_BASE(TYPE [ANY])
%typemap(javaout) TYPE [ANY] { return $jnicall; }
%typemap(in) TYPE [ANY] (TYPE values[$1_dim0]) %{
  jlong elements[$1_dim0] = {0};
  jenv->GetLongArrayRegion($input, 0, $1_dim0, elements);
  for (size_t i = 0; i < $1_dim0; ++i) values[i] = (TYPE)elements[i];
  $1 = values;
%}
%typemap(memberin) TYPE [ANY] %{
  for (size_t i = 0; i < $1_dim0; ++i) $1[i] = $input[i];
%}
%typemap(out) TYPE [ANY] %{
  jlong elements[$1_dim0];
  for (size_t i = 0; i < $1_dim0; ++i) elements[i] = (jlong)$1[i];
  $result = jenv->NewLongArray($1_dim0);
  if ($result) jenv->SetLongArrayRegion($result, 0, $1_dim0, elements);
%}
%enddef
CLPOOL_MEMBER_ARRAY(size_t)
CLPOOL_MEMBER_ARRAY(uint64_t)

// ---- JNI's own types, for glue.hpp ---------------------------------------------------------------------------
%typemap(in, numinputs=0) JNIEnv * %{ $1 = jenv; %}
CLPOOL_LONGS_BASE(jlongArray)
%typemap(javaout) jlongArray { return $jnicall; }
%typemap(out) jlongArray %{ $result = $1; %}
%ignore java_longs;
%ignore java_bytes;
%ignore java_figures;

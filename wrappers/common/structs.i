/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* The structs of the C API that programs fill in or read: each begins as its …_init() leaves it. Structs of callbacks
 * are not here: each language has its own way to be called.
 */
/* Of CL/cl.h. Here, behind the language file, so that its way with structs holds for this one as well. */
typedef struct _cl_image_format {
  cl_channel_order image_channel_order;
  cl_channel_type image_channel_data_type;
} cl_image_format;

%define CLPOOL_STRUCT(TYPE)
%extend TYPE {
  TYPE() {
    TYPE *made = new TYPE();
    TYPE##_init(made);
    return made;
  }
}
%immutable TYPE::struct_size;
%ignore TYPE::reserved;
%ignore TYPE::reserved_2;
%enddef

/* Texts that the library gives are static; those that it takes belong to the struct. */
%immutable clpool_answer::basis;
%immutable clpool_answer::note;
%immutable clpool_device_limits::note;
%{
#include <cstdlib>
#include <cstring>
%}
%typemap(memberin) const char *name, const char *selector {
  std::free(const_cast<char *>($1));
  $1 = $input ? strdup($input) : nullptr;
}
%warnfilter(451) clpool_pool_options::name;
%warnfilter(451) clpool_device_options::selector;
%extend clpool_pool_options {
  ~clpool_pool_options() {
    std::free(const_cast<char *>($self->name));
    delete $self;
  }
}
%extend clpool_device_options {
  ~clpool_device_options() {
    std::free(const_cast<char *>($self->selector));
    delete $self;
  }
}

%include "described/structs.i"

/* Callbacks are set by hand-written code of each language. */
%ignore clpool_allocator_ops;
%ignore clpool_memo_ops;
%ignore clpool_pool_callbacks;
%ignore clpool_pool_stretch;
%ignore clpool_pool_options::callbacks;
%ignore clpool_pool_options::user;
%ignore clpool_pool_options::queues;
%ignore clpool_trace_replay_options::progress;
%ignore clpool_trace_replay_options::user;

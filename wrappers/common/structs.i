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
%enddef

/* A text that the library takes belongs to the struct; those that it gives are static. */
%{
#include <cstdlib>
#include <cstring>
%}
%define CLPOOL_TEXT(TYPE, FIELD)
%typemap(memberin) const char *FIELD {
  std::free(const_cast<char *>($1));
  $1 = $input ? strdup($input) : nullptr;
}
%warnfilter(451) TYPE::FIELD;
%extend TYPE {
  ~TYPE() {
    std::free(const_cast<char *>($self->FIELD));
    delete $self;
  }
}
%enddef

%include "described/structs.i"

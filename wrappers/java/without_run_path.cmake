# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# Takes the build folder's run path out of LIBRARY: NativeLibrary loads libclpool.so before, and a run path that ends with ":",
# as CMake writes it to have room, has the loader look for libOpenCL.so in the folder that the program happens to be in.
file(RPATH_REMOVE FILE "${LIBRARY}")

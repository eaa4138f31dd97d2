#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# The package alone: library and program are the other output's.
set -eux
cmake -S . -B build-python -G Ninja ${CMAKE_ARGS} -DCMAKE_INSTALL_LIBDIR=lib -DCLPOOL_BUILD_TESTS=OFF -DCLPOOL_BUILD_EXAMPLES=OFF \
  -DCLPOOL_BUILD_PROGRAM=OFF -DCLPOOL_WRAPPERS=python "-DCLPOOL_PYTHON_INSTALL_DIR=${SP_DIR#"$PREFIX"/}" -DPython3_EXECUTABLE="$PYTHON"
cmake --build build-python
cmake --install build-python --prefix "$SRC_DIR/tree"
mkdir -p "$SP_DIR"
cp -r "$SRC_DIR/tree/${SP_DIR#"$PREFIX"/}"/clpool* "$SP_DIR"/

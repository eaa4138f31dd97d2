#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
set -eux
cmake -S . -B build -G Ninja ${CMAKE_ARGS} -DCMAKE_INSTALL_LIBDIR=lib -DCLPOOL_BUILD_TESTS=OFF -DCLPOOL_BUILD_EXAMPLES=OFF
cmake --build build
cmake --install build

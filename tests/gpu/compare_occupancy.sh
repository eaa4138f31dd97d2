#!/bin/sh
# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# Compares our occupancy answers with CUDA's own on this machine's GPU: see README.md.
set -eu
build=${1:?usage: compare_occupancy.sh BUILD_FOLDER}
here=$(cd "$(dirname "$0")" && pwd)
include=$here/../../capi/include
library=$(cd "$build/capi" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

echo 'cc_major,cc_minor,threads,registers,static_bytes,dynamic_bytes,blocks' >"$folder/answers.csv"
for most in 0 40 96; do
  limit=
  [ "$most" = 0 ] || limit=-maxrregcount=$most
  # shellcheck disable=SC2086 # no limit is no argument
  "${NVCC:-nvcc}" -std=c++17 -arch=native $limit -o "$folder/kernels" "$here/occupancy_kernels.cu"
  "$folder/kernels" >>"$folder/answers.csv"
done

# shellcheck disable=SC2086 # CPPFLAGS are several
"${CC:-cc}" -std=c99 -Wall ${CPPFLAGS:-} -I"$include" -o "$folder/compare" "$here/compare_occupancy.c" \
  -L"$library" -lclpool -Wl,-rpath,"$library" -Wl,--allow-shlib-undefined
"$folder/compare" <"$folder/answers.csv"

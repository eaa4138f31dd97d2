#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# install.sh CASE SOURCE_FOLDER BUILD_FOLDER CMAKE
# Installs to a temporary folder, then builds and runs the C and C++ programs of consumer/ against what was installed,
# by pkg-config and by find_package. Cases: a plain prefix; a DESTDIR; a tree that was moved afterwards; an absolute
# CMAKE_INSTALL_LIBDIR outside the prefix.
set -euo pipefail
case=$1 source=$2 build=$3 cmake=$4
consumer=$(cd "$(dirname "${BASH_SOURCE[0]}")/consumer" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

libdir=$(sed -n "s/^CMAKE_INSTALL_LIBDIR:[A-Z]*=//p" "$build/CMakeCache.txt")
prefix="$work/usr"
libraries="$prefix/$libdir"
case "$case" in
  prefix)
    "$cmake" --install "$build" --prefix "$prefix" >"$work/log"
    ;;
  destdir)
    DESTDIR="$work/stage" "$cmake" --install "$build" --prefix /opt/clpool >"$work/log"
    prefix="$work/stage/opt/clpool"
    libraries="$prefix/$libdir"
    ;;
  moved)
    "$cmake" --install "$build" --prefix "$work/first" >"$work/log"
    mv "$work/first" "$prefix"
    ;;
  absolute_libdir)
    # A second build folder, configured only: its libraries are the first one's.
    libraries="$work/elsewhere/lib64"
    "$cmake" -S "$source" -B "$work/build" -G Ninja -DCMAKE_INSTALL_PREFIX="$prefix" \
      -DCMAKE_INSTALL_LIBDIR="$libraries" -DCLPOOL_BUILD_PROGRAM=OFF -DCLPOOL_BUILD_TESTS=OFF \
      -DCLPOOL_BUILD_EXAMPLES=OFF >"$work/log"
    cp -P "$build"/capi/libclpool.so* "$work/build/capi/"
    "$cmake" --install "$work/build" >>"$work/log"
    ;;
esac

require() {
  [ -e "$1" ] || { echo "not installed: $1"; (cd "$work" && find . -name '*clpool*'); exit 1; }
}
require "$libraries/libclpool.so"
require "$libraries/libclpool.so.1"
require "$prefix/include/clpool/clpool.h"
for name in clpoolConfig clpoolConfigVersion clpoolTargets ClpoolOpenCL; do
  require "$libraries/cmake/clpool/$name.cmake"
done
if [ "$case" != absolute_libdir ] && [ -e "$build/capi/program/clpool" ]; then
  require "$prefix/bin/clpool"
fi
[ "$(readlink "$libraries/libclpool.so")" = libclpool.so.1 ] || { echo "libclpool.so is no link to its SONAME"; exit 1; }
if grep -rF "$build" "$libraries/pkgconfig" "$libraries/cmake/clpool"; then
  echo "the build folder is named in installed files"
  exit 1
fi

export PKG_CONFIG_PATH="$libraries/pkgconfig" LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
echo "pkg-config: $(pkg-config --cflags --libs clpool)"
cc -std=c99 -Wall -Wextra -Werror "$consumer/program.c" -o "$work/c" $(pkg-config --cflags --libs clpool)
"$work/c"
c++ -std=c++17 -Wall -Wextra -Werror "$consumer/program.cpp" -o "$work/cpp" $(pkg-config --cflags --libs clpool)
"$work/cpp"

"$cmake" -S "$consumer" -B "$work/consumer" -G Ninja -Dclpool_DIR="$libraries/cmake/clpool" >>"$work/log"
"$cmake" --build "$work/consumer" >>"$work/log" || { cat "$work/log"; exit 1; }
"$work/consumer/c"
"$work/consumer/cpp"

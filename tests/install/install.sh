#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# install.sh CASE SOURCE_FOLDER BUILD_FOLDER CMAKE
# Installs to a temporary folder, then builds and runs the C and C++ programs of consumer/ against what was installed,
# by pkg-config and by find_package. Cases: a plain prefix; a DESTDIR; a tree that was moved afterwards; an absolute
# CMAKE_INSTALL_LIBDIR outside the prefix; libclpool.a alone; a umask that lets nobody else in; no run paths.
set -euo pipefail
case=$1 source=$2 build=$3 cmake=$4
consumer=$(cd "$(dirname "${BASH_SOURCE[0]}")/consumer" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

libdir=$(sed -n "s/^CMAKE_INSTALL_LIBDIR:[A-Z]*=//p" "$build/CMakeCache.txt")
prefix="$work/usr"
libraries="$prefix/$libdir"
shared=yes static=
[ ! -e "$build/capi/libclpool.a" ] || static=yes

# installed_from OPTION…: installs a second build folder, configured only: its libraries are the first one's.
installed_from() {
  "$cmake" -S "$source" -B "$work/build" -G Ninja -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR="$libdir" \
    -DCLPOOL_BUILD_PROGRAM=OFF -DCLPOOL_BUILD_TESTS=OFF -DCLPOOL_BUILD_EXAMPLES=OFF "$@" >"$work/log"
  cp -P "$build"/capi/libclpool.* "$work/build/capi/"
  [ ! -d "$work/build/capi/program" ] || cp -R "$build"/capi/program/{clpool,completions} "$work/build/capi/program/"
  "$cmake" --install "$work/build" >>"$work/log"
}

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
    libraries="$work/elsewhere/lib64" static=
    installed_from -DCMAKE_INSTALL_LIBDIR="$libraries"
    ;;
  static_only)
    shared=
    installed_from -DBUILD_SHARED_LIBS=OFF
    ;;
  umask)
    (umask 077 && "$cmake" --install "$build" --prefix "$prefix" >"$work/log")
    if find "$prefix" \( -type d ! -perm 755 -o -type f ! -perm 644 ! -perm 755 \) -printf '%m %p\n' | grep .; then
      echo "these modes are not 755 (folders, programs) or 644 (files)"
      exit 1
    fi
    ;;
  no_run_paths)
    static=
    installed_from -DCLPOOL_BUILD_PROGRAM=ON -DCMAKE_SKIP_INSTALL_RPATH=ON
    ;;
esac

require() {
  [ -e "$1" ] || { echo "not installed: $1"; (cd "$work" && find . -name '*clpool*'); exit 1; }
}
if [ "$shared" ]; then
  require "$libraries/libclpool.so"
  require "$libraries/libclpool.so.1"
  [ "$(readlink "$libraries/libclpool.so")" = libclpool.so.1 ] || { echo "libclpool.so is no link to its SONAME"; exit 1; }
fi
[ -z "$static" ] || require "$libraries/libclpool.a"
require "$prefix/include/clpool/clpool.h"
for name in clpoolConfig clpoolConfigVersion clpoolTargets ClpoolOpenCL; do
  require "$libraries/cmake/clpool/$name.cmake"
done
if { [ ! -e "$work/build" ] || [ -e "$work/build/capi/program" ]; } && [ -e "$build/capi/program/clpool" ]; then
  require "$prefix/bin/clpool"
fi
if grep -rF "$build" "$libraries/pkgconfig" "$libraries/cmake/clpool"; then
  echo "the build folder is named in installed files"
  exit 1
fi

# The program and the wrappers' libraries find libclpool.so by themselves, from their own place; or say nothing of where it is.
while read -r file; do
  dynamic=$(readelf -dW "$file" 2>/dev/null) || continue
  paths=$(sed -nE 's/.*\((RUNPATH|RPATH)\).*\[(.*)\]/\2/p' <<<"$dynamic")
  if [ "$case" = no_run_paths ]; then  # but the colons by which the first build's linker made room for one
    [ -z "${paths//:/}" ] || { echo "$file has the run path $paths, and CMAKE_SKIP_INSTALL_RPATH asked for none"; exit 1; }
  elif [[ "$dynamic" == *"[libclpool.so.1]"* ]]; then
    found=$(env -u LD_LIBRARY_PATH ldd "$file" | sed -nE 's/.*libclpool\.so\.1 => (.*) \(.*/\1/p')
    [ "$(realpath "${found:-/}")" = "$(realpath "$libraries/libclpool.so.1")" ] ||
      { echo "$file finds libclpool.so.1 at \"$found\", not in $libraries, with the run path \"$paths\""; exit 1; }
    echo "$file: $paths"
  fi
done < <(find "$prefix" -type f \( -path '*/bin/*' -o -name '*.so' \))
if [ "$case" != no_run_paths ] && [ -e "$prefix/bin/clpool" ]; then
  "$prefix/bin/clpool" --version
fi

# run PROGRAM: with a libclpool.so that is in no folder of the loader's; programs of libclpool.a need none.
run() {
  case "$1" in
    *static) "$1" ;;
    *) LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$1" ;;
  esac
}

# compiled KIND LIBRARIES: the C and the C++ program with what pkg-config says.
compiled() {
  cc -std=c99 -Wall -Wextra -Werror "$consumer/program.c" -o "$work/c_$1" $(pkg-config --cflags clpool) $2
  run "$work/c_$1"
  c++ -std=c++17 -Wall -Wextra -Werror "$consumer/program.cpp" -o "$work/cpp_$1" $(pkg-config --cflags clpool) $2
  run "$work/cpp_$1"
}

export PKG_CONFIG_PATH="$libraries/pkgconfig"
echo "pkg-config: $(pkg-config --cflags --libs clpool), static: $(pkg-config --static --libs clpool)"
if [ "$shared" ]; then
  compiled shared "$(pkg-config --libs clpool)"
else
  compiled plain_static "$(pkg-config --libs clpool)"
fi
if [ "$static" ]; then  # -lclpool is libclpool.so where both are
  compiled static "$(pkg-config --static --libs clpool | sed 's/-lclpool/-l:libclpool.a/')"
fi

for languages in C CXX; do
  folder="$work/consumer_$languages"
  "$cmake" -S "$consumer" -B "$folder" -G Ninja -DCONSUMER_LANGUAGES=$languages -Dclpool_DIR="$libraries/cmake/clpool" \
    >>"$work/log"
  "$cmake" --build "$folder" >>"$work/log" || { cat "$work/log"; exit 1; }
  "$folder/$languages"
  if [ "$static" ]; then
    run "$folder/${languages}_static"
  elif [ -e "$folder/${languages}_static" ]; then
    echo "clpool::clpool_static is there without libclpool.a"
    exit 1
  fi
done

# A package that knows no components says so, by the name that was asked for.
sed 's/find_package(clpool 1.0 REQUIRED)/find_package(clpool COMPONENTS Development)\nreturn()/' "$consumer/CMakeLists.txt" \
  >"$work/CMakeLists.txt"
mkdir "$work/components"
mv "$work/CMakeLists.txt" "$work/components"
"$cmake" -S "$work/components" -B "$work/components/build" -DCONSUMER_LANGUAGES=C -Dclpool_DIR="$libraries/cmake/clpool" 2>&1 |
  tr -s '\n ' ' ' | grep -q 'no components, but these are asked for: Development' ||
  { echo "find_package(clpool COMPONENTS Development) does not say why it fails"; exit 1; }

# The wrappers find their libraries from where they are.
jar="$prefix/share/java/clpool.jar"
if [ "$case" != no_run_paths ] && [ -e "$jar" ] && command -v java >/dev/null; then
  env -u LD_LIBRARY_PATH java -cp "$jar" "$source/docs/examples/FirstPool.java"
fi
package=$(find "$prefix" -type d -path '*-packages/clpool')
if [ "$case" != no_run_paths ] && [ "$package" ]; then
  env -u LD_LIBRARY_PATH PYTHONPATH="${package%/clpool}" /usr/bin/python3 "$source/docs/examples/first_pool.py"
fi

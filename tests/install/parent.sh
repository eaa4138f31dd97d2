#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# parent.sh LANGUAGE MEANS SOURCE_FOLDER CMAKE [build]: the library as a part of parent/, a project in LANGUAGE (C or CXX) that
# takes it in by MEANS (add_subdirectory or FetchContent): it configures without a word beyond status, changes nothing that
# the parent has, and adds the libraries alone: no test, no program, nothing to install. The parent compiles several sources as
# one (CMAKE_UNITY_BUILD), and without exceptions; the library does not. With "build" it is built, the parent's programs are run, and what was asked for
# is installed.
set -euo pipefail
language=$1 means=$2 source=$3 cmake=$4 build=${5:-}
parent=$(cd "$(dirname "${BASH_SOURCE[0]}")/parent" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset CMAKE_BUILD_TYPE

fails() {
  echo "$1"
  shift
  "$@"
  exit 1
}
configure() {
  local build=$1 generator=$2
  shift 2
  "$cmake" -S "$parent" -B "$work/$build" -G "$generator" -DPARENT_LANGUAGE="$language" -DPARENT_MEANS="$means" \
    -DCLPOOL_SOURCE="$source" -DCLPOOL_BUILD_STATIC=ON -DCMAKE_UNITY_BUILD=ON \
    -DCMAKE_CXX_FLAGS="-fno-exceptions -fno-rtti" "$@" >"$work/log" 2>"$work/errors" ||
    fails "a parent in $language is not configured:" cat "$work/errors"
}

configure build Ninja
[ ! -s "$work/errors" ] || fails "configuring said more than status:" cat "$work/errors"
if grep -v '^-- ' "$work/log"; then fails "these lines of configuring are no status"; fi
if grep -E '^build [^ :]*clpool(-build)?/(capi/(program|examples)|tests|wrappers)/[^ :]*\.o:' "$work/build/build.ninja"; then
  fails "these parts of the library were not asked for"
fi
if grep -E '^build [^ :]*clpool(-build)?/[^ :]*/Unity/[^ :]*\.o:' "$work/build/build.ninja"; then
  fails "these sources of the library are compiled as one"
fi
tests=$("$cmake" -E chdir "$work/build" ctest -N)
[[ "$tests" == *"Total Tests: 0"* ]] || fails "the parent has tests that are not its own: $tests"
"$cmake" --install "$work/build" --prefix "$work/nothing" >"$work/log" 2>&1 || fails "something is to be installed:" cat "$work/log"
if find "$work/nothing" -type f 2>/dev/null | grep .; then fails "these files were installed, and none was asked for"; fi
[ "$build" ] || exit 0

# With makefiles, which know of no file that another target makes: first what needs the most of these alone.
configure made "Unix Makefiles" -DCLPOOL_UNITY=ON  # builds in half the time
for target in with_clpool_static all; do
  "$cmake" --build "$work/made" --parallel 4 --target "$target" >"$work/log" 2>&1 || fails "$target was not built:" tail -n 40 "$work/log"
done
"$work/made/with_clpool"
"$work/made/with_clpool_static"
[ "$(find "$work/made" -type f -perm -u+x ! -name '*.so*' ! -path '*/CMakeFiles/*' | wc -l)" = 2 ] ||
  fails "more programs than the parent's two were built:" find "$work/made" -type f -perm -u+x
configure several "Ninja Multi-Config"
configure made "Unix Makefiles" -DCLPOOL_INSTALL=ON
"$cmake" --install "$work/made" --prefix "$work/prefix" >"$work/log" 2>&1 || fails "it is not installed:" cat "$work/log"
for name in libclpool.so libclpool.a clpool.h clpoolConfig.cmake clpool.pc; do
  find "$work/prefix" | grep -q "/$name\$" || fails "CLPOOL_INSTALL=ON has not installed $name, but" find "$work/prefix"
done

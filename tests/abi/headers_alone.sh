#!/usr/bin/env bash
# headers_alone.sh gcc|clang c99|c++17 INCLUDE_FOLDER CL_INCLUDE_FOLDER
# Every public header compiles on its own and twice in a row, all of them also in programs written for OpenCL 1.2, with
# all warnings as errors; *.hpp as C++ only.
set -eu
compiler=$1 language=$2 include=$3 cl_include=$4

case "$compiler $language" in
  "gcc c99") command=gcc ;;
  "gcc c++17") command=g++ ;;
  "clang c99") command=clang ;;
  "clang c++17") command=clang++ ;;
esac
command=$(command -v "$command" || command -v "$command-14" || command -v "$command-18" || true)
if [ -z "$command" ]; then
  echo "skipped: $compiler is not installed"
  exit 77
fi

names=("$include"/clpool/*.h)
kind=c
if [ "$language" = c++17 ]; then
  kind=c++
  for header in "$include"/clpool/*.hpp; do
    [ -e "$header" ] && names+=("$header")
  done
fi

failures=0
# compiles HEADER [LINE]: with the line before it.
compiles() {
  "$command" -x "$kind" -std="$language" -Wall -Wextra -pedantic -Werror -fsyntax-only -I "$include" -idirafter "$cl_include" \
    - <<<"${2:-}"$'\n'"#include \"$1\""$'\n'"#include \"$1\""$'\nint clpool_header_test;' && return
  echo "$1 does not compile with $command -std=$language${2:+ after $2}"
  failures=$((failures + 1))
}

for header in "${names[@]}"; do
  compiles "clpool/$(basename "$header")"
done
compiles clpool/clpool.h '#define CL_TARGET_OPENCL_VERSION 120'
echo "${#names[@]} headers, $failures failures, $command -std=$language"
[ "$failures" = 0 ]

#!/usr/bin/env bash
# headers_alone.sh gcc|clang c99|c++17 INCLUDE_FOLDER CL_INCLUDE_FOLDER
# Every public header compiles on its own, twice in a row, and in programs written for OpenCL 1.2, with all warnings as
# errors; *.hpp as C++ only.
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
for header in "${names[@]}"; do
  name=clpool/$(basename "$header")
  for way in once twice "for OpenCL 1.2"; do
    source="#include \"$name\""
    case "$way" in
      twice) source="$source"$'\n'"$source" ;;
      for*) source='#define CL_TARGET_OPENCL_VERSION 120'$'\n'"$source" ;;
    esac
    # -idirafter: the folder may be the system's own, which must stay behind the C++ library's headers.
    "$command" -x "$kind" -std="$language" -Wall -Wextra -pedantic -Werror -fsyntax-only -I "$include" \
      -idirafter "$cl_include" - <<<"$source"$'\nint clpool_header_test;' ||
      { echo "$name, included $way, does not compile with $command -std=$language"; failures=$((failures + 1)); }
  done
done
echo "${#names[@]} headers, $failures failures, $command -std=$language"
[ "$failures" = 0 ]

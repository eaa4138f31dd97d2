#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# headers_alone.sh gcc|clang STANDARD INCLUDE_FOLDER CL_INCLUDE_FOLDER
# Every public header compiles on its own and twice in a row, all of them also in programs written for OpenCL 1.2, with
# strict warnings as errors; *.hpp from C++17, and older standards are told so. The oldest standard of each kind of
# header compiles them one by one, the others all in one program, each twice. *.hpp also without exceptions, where a call
# that is not given a std::error_code is refused. Fills with what is more than its bytes are refused.
set -eu
compiler=$1 language=$2 include=$3 cl_include=$4

case "$compiler $language" in
  "gcc c++"*) command=g++ kind=c++ ;;
  "clang c++"*) command=clang++ kind=c++ ;;
  *) command=$compiler kind=c ;;
esac
case "$language" in
  c99 | c++11) one_by_one=yes headers=h ;;
  c11 | c17 | c2x | c++14) one_by_one='' headers=h ;;
  c++17) one_by_one=yes headers="h hpp" ;;
  c++20 | c++2b) one_by_one='' headers="h hpp" ;;
  *) echo "there is no standard $language"; exit 2 ;;
esac
command=$(command -v "$command" || command -v "$command-14" || command -v "$command-18" || true)
if [ -z "$command" ]; then
  echo "skipped: $compiler is not installed"
  exit 77
fi
if ! "$command" -x "$kind" -std="$language" -fsyntax-only - <<<'int x;' 2>/dev/null; then
  echo "skipped: $command does not know -std=$language"
  exit 77
fi

warnings=(-Wall -Wextra -pedantic-errors -Werror -Wshadow -Wconversion -Wsign-conversion -Wundef -Wcast-qual -Wcast-align
  -Wformat=2)
case "$compiler $kind" in
  "gcc c") warnings+=(-Wstrict-prototypes -Wmissing-prototypes -Wc++-compat) ;;
  "clang c") warnings+=(-Wstrict-prototypes -Wmissing-prototypes) ;;
  *) warnings+=(-Wold-style-cast -Wnon-virtual-dtor) ;;
esac

names=()
for ending in $headers; do
  for header in "$include"/clpool/*."$ending"; do
    names+=("clpool/$(basename "$header")")
  done
done

failures=0
# compiles SOURCE: what compiles it says, and its exit status.
compiles() {
  "$command" -x "$kind" -std="$language" "${warnings[@]}" -fsyntax-only -I "$include" -idirafter "$cl_include" \
    - <<<"$1"$'\nint clpool_header_test;' 2>&1
}
# check SOURCE
check() {
  compiles "$1" && return
  printf 'this does not compile with %s -std=%s:\n%s\n' "$command" "$language" "$1"
  failures=$((failures + 1))
}
# included NAME...: the lines that include them, twice.
included() {
  printf '#include "%s"\n' "$@" "$@"
}

if [ -n "$one_by_one" ]; then
  for name in "${names[@]}"; do
    check "$(included "$name")"
  done
else
  check "$(included "${names[@]}")"
fi
for version in 100 110 120 200; do
  check "#define CL_TARGET_OPENCL_VERSION $version"$'\n'"#include \"clpool/clpool.h\""
done

fills_with_an_object='#include <string>
#include "clpool/mem.hpp"
void fill(clpool::Mem& mem, cl_command_queue queue) { mem.fill(queue, std::string("text")); }'
forgets_the_code='#include "clpool/mem.hpp"
int main() { return clpool::Mem::buffer(nullptr, 1) ? 0 : 1; }'
case "$language" in
  c++17 | c++20 | c++2b)
    if said=$(compiles "$fills_with_an_object") || ! grep -q 'devices copy bytes' <<<"$said"; then
      echo "a fill with a std::string is not refused by $command -std=$language"
      failures=$((failures + 1))
    fi
    warnings+=(-fno-exceptions)
    check "$(included "${names[@]}")"
    if said=$("$command" -x "$kind" -std="$language" -fno-exceptions -S -o /dev/null -I "$include" -idirafter "$cl_include" \
                - <<<"$forgets_the_code" 2>&1) || ! grep -q 'give a std::error_code' <<<"$said"; then
      echo "a call without a std::error_code is not refused by $command -std=$language -fno-exceptions"
      failures=$((failures + 1))
    fi ;;
  c++11 | c++14)  # the C++ layer names the standard that it needs
    for header in "$include"/clpool/*.hpp; do
      if said=$(compiles "#include \"clpool/$(basename "$header")\"") || ! grep -q 'C++17' <<<"$said"; then
        echo "$(basename "$header") does not say that it needs C++17 with $command -std=$language"
        failures=$((failures + 1))
      fi
    done ;;
esac
echo "${#names[@]} headers, $failures failures, $command -std=$language"
[ "$failures" = 0 ]

#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# elf.sh library|program|glue FILE [OPTIMIZED]: what is missing of the protections that packaging/cmake/ClpoolHardening.cmake
# asks for, one line each; 1 if anything is. Code that is not optimized (no) has no checked calls of the C library, and
# glue, which passes calls on, has nothing on its stack that needs looking after.
set -u
kind=$1 file=$2 optimized=${3:-yes}
command -v readelf >/dev/null || { echo "skipped: readelf is not installed"; exit 77; }
segments=$(readelf -lW "$file") && dynamic=$(readelf -dW "$file") && symbols=$(readelf --dyn-syms -W "$file") || exit 1

missing=0
lacks() {
  echo "$file: $1"
  missing=1
}
has() {
  grep -qE "$2" <<<"$1"
}

has "$dynamic" '\(TEXTREL\)|\(FLAGS\).*TEXTREL' && lacks "its code is written to when it is loaded (TEXTREL)"
has "$dynamic" '\(FLAGS\).*BIND_NOW|\(FLAGS_1\).*NOW' || lacks "functions are found at their first call, not at loading (no BIND_NOW)"
has "$segments" '^ *GNU_RELRO' || lacks "tables of addresses stay writable (no GNU_RELRO)"
has "$segments" '^ *GNU_STACK .* RW ' || lacks "the stack is executable, or not said not to be (GNU_STACK)"
has "$segments" '^ *LOAD .* RWE ' && lacks "memory is writable and executable at once"
[ "$kind" = glue ] || has "$symbols" ' __stack_chk_fail(@|$)' || lacks "no function looks after its stack (no __stack_chk_fail)"
if [ "$optimized" = yes ] && [ "$kind" != glue ]; then
  has "$symbols" ' __[a-z]+_chk(@|$)' || lacks "no call of the C library is checked (no __…_chk: _FORTIFY_SOURCE)"
fi
if [ "$kind" = program ]; then
  has "$dynamic" '\(FLAGS_1\).* PIE' || lacks "it is always loaded at the same address (no PIE)"
fi
[ "$missing" = 0 ]

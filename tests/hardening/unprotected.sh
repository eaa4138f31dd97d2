#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# unprotected.sh COMPILER ELF_SH: elf.sh says of a program and a library without protections what each is missing.
set -eu
compiler=$1 check=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/a.c" <<'C'
#include <stdio.h>
int main(int count, char** arguments) { return puts(arguments[count - 1]); }
C
off=(-fno-stack-protector -U_FORTIFY_SOURCE -z lazy -z norelro -z execstack)
"$compiler" -O2 "${off[@]}" -fno-pie -no-pie -o "$work/program" "$work/a.c" 2>/dev/null
"$compiler" -O2 "${off[@]}" -fPIC -shared -o "$work/library.so" "$work/a.c" 2>/dev/null

failures=0
# finds FILE TEXT...: it is refused, and for each of these reasons.
finds() {
  local kind=$1 file=$2 text found
  shift 2
  if found=$(bash "$check" "$kind" "$file"); then
    echo "nothing was missing in $file"
    failures=$((failures + 1))
  fi
  for text in "$@"; do
    grep -qF "$text" <<<"$found" || { echo "not said of $file: $text"; failures=$((failures + 1)); }
  done
}
finds program "$work/program" BIND_NOW GNU_RELRO GNU_STACK __stack_chk_fail _FORTIFY_SOURCE PIE
finds library "$work/library.so" BIND_NOW GNU_RELRO GNU_STACK __stack_chk_fail _FORTIFY_SOURCE
[ "$failures" = 0 ]

#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# isolated.sh LIBRARY MAP NM COMPILER FLAGS…: libclpool.a LIBRARY shows programs the functions of MAP and nothing else, but what
# templates of the C++ standard library became, which is weak; so a program that has every other name that is in it, as a
# function that ends the process, links and runs. FLAGS: what the library needs.
set -euo pipefail
library=$1 map=$2 nm=$3 compiler=$4
shift 4
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

grep -oE '^ +clpool_\w+;' "$map" | tr -d ' ;' | sort -u >"$work/public"
"$nm" -P -g --defined-only "$library" | awk 'NF > 1 {print $1, $2}' | sort -u >"$work/global"
awk '$2 == "T" {print $1}' "$work/global" >"$work/strong"
diff "$work/public" "$work/strong" >"$work/difference" || {
  echo "functions of $map (<) and global ones of $library (>) differ:"
  cat "$work/difference"
  exit 1
}
if awk '$2 != "T"' "$work/global" | grep -vE '^_Z(N?K?S[a-z]|NK?St|T[VISG].*St|Z.*St|GV.*St)\S* [VWu]$'; then
  echo "these global symbols of $library are neither public nor the C++ standard library's"
  exit 1
fi

"$nm" -P --defined-only "$library" | awk '$2 == "t" && $1 ~ /^[A-Za-z_][A-Za-z_0-9]*$/ {print $1}' | sort -u |
  awk 'NR == FNR {global[$1]; next} !($1 in global)' "$work/global" - >"$work/private"
[ "$(wc -l <"$work/private")" -gt 100 ] || { echo "$library has only $(wc -l <"$work/private") private functions"; exit 1; }
{ echo 'void abort(void);'; sed 's/.*/void &(void);void &(void) { abort(); }/' "$work/private"; } >"$work/same_names.c"
"$compiler" -w -c "$work/same_names.c" -o "$work/same_names.o"
"$compiler" -std=c99 -I"$here/../../capi/include" "$here/consumer/program.c" "$work/same_names.o" "$library" "$@" -o "$work/program"
"$work/program"

echo 'unsigned clpool_version_number(void); unsigned plug_in(void); unsigned plug_in(void) { return clpool_version_number(); }' >"$work/plug_in.c"
"$compiler" -shared -fPIC "$work/plug_in.c" "$library" "$@" -o "$work/plug_in.so"
if "$nm" -P -D -g --defined-only "$work/plug_in.so" | grep '^clpool_'; then
  echo "a plug-in with $library in it shows these functions as its own"
  exit 1
fi
echo "$(wc -l <"$work/public") public functions; $(wc -l <"$work/private") others that a program may have under the same names"

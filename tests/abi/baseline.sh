#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# baseline.sh compare|update LIBRARY HEADER_FOLDER BASELINE: the types of all public functions, as libabigail reads them
# from the library's debug information, against those in BASELINE; or writes that file anew.
set -eu
action=$1 library=$(readlink -f "$2") headers=$3 baseline=$4

skip() {
  echo "skipped: $1"
  exit 77
}
command -v abidw >/dev/null && command -v abidiff >/dev/null || skip "abigail-tools is not installed"
command -v readelf >/dev/null || skip "readelf is not installed"
readelf -SW "$library" | grep -q ' \.debug_info ' || skip "the library was built without debug information"
# Other compilers describe the same types in other words.
readelf --debug-dump=info "$library" 2>/dev/null | grep -m1 DW_AT_producer | grep -q GNU ||
  skip "the baseline is of gcc's debug information, the library was built with another compiler"
[ "$(uname -m)" = x86_64 ] || skip "the baseline is that of x86_64"

# Nothing of the machine that wrote it: no paths, no lines of sources.
if [ "$action" = update ]; then
  (cd "$(dirname "$library")" &&
    abidw --exported-interfaces-only --headers-dir "$headers" --drop-private-types --no-corpus-path \
      --no-comp-dir-path --no-show-locs --no-elf-needed --no-parameter-names --type-id-style hash \
      "$(basename "$library")") | sed "s|path='[^']*/capi/|path='capi/|" >"$baseline.new"
  mv "$baseline.new" "$baseline"
  exit
fi
if abidiff --exported-interfaces-only --drop-private-types --headers-dir2 "$headers" "$baseline" "$library"; then
  exit 0
fi
echo "Added functions, and structs that grew at their end: run \`cmake --build build/dev --target update-abi-baseline\`"
echo "and commit baseline.xml. What else changed or went away breaks programs that are already compiled: keep it."
exit 1

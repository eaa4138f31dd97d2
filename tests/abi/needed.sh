#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# needed.sh LIBRARY MAJOR: the library has its SONAME, needs nothing but OpenCL and the C and C++ runtimes, and
# takes at most 64 bytes of each thread's own storage.
set -eu
library=$1 major=$2
failures=0
while read -r needed; do
  case "$needed" in
    libOpenCL.so.1 | libstdc++.so.6 | libgcc_s.so.1 | libc.so.6 | libm.so.6 | ld-linux-*.so.*) ;;
    *) echo "unexpected NEEDED: $needed"; failures=$((failures + 1)) ;;
  esac
done < <(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')

soname=$(readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
if [ "$soname" != "libclpool.so.$major" ]; then
  echo "SONAME is $soname, not libclpool.so.$major"
  failures=$((failures + 1))
fi

# Threads' own storage is short where a library is opened late.
storage=$(readelf -lW "$library" | awk '$1 == "TLS" {print $6}')
if [ $((${storage:-0})) -gt 64 ]; then
  echo "a thread's own storage is $((storage)) bytes, 64 is the most"
  failures=$((failures + 1))
fi
[ "$failures" = 0 ]

#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# privileged.sh PROGRAM: every variable that the library reads is read by a plain process, and ignored by one that runs
# with other rights than its user's: a copy of the program that sets its group.
set -eu
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Another group than this process's: for root any, for others one of their further groups.
group=
for candidate in $(id -G) $([ "$(id -u)" != 0 ] || echo 65534); do
  [ "$candidate" = "$(id -g)" ] || group=$candidate
done
[ -n "$group" ] || { echo "skipped: neither root nor in a second group, so no program can be given other rights"; exit 77; }
chmod 755 "$work"
install -m 755 "$program" "$work/privileged"
chgrp "$group" "$work/privileged"
chmod 2755 "$work/privileged"

mkdir "$work/home"
echo "no number" >"$work/home/.cuda-device"
unset CLPOOL_DEVICE CLPOOL_TEST PYOPENCL_TEST PYOPENCL_CTX CUDA_DEVICE CLPOOL_GUARD
unset OMPI_COMM_WORLD_LOCAL_RANK SLURM_LOCALID MPI_LOCALRANKID

failures=0
# finds EXPECTED PROGRAM VARIABLE VALUE
finds() {
  local found code=0
  found=$(env "$3=$4" "$2" "$3") || code=$?
  if [ "$code" = 77 ]; then
    echo "$found"
    exit 77
  fi
  case "$found" in
    "$1") return ;;
    "plain "*) [ "${1%% *}" = plain ] || { echo "skipped: set-group-ID has no effect here"; exit 77; } ;;
  esac
  echo "$3: expected '$1', found '$found'"
  failures=$((failures + 1))
}
while read -r variable value; do
  finds "plain read" "$program" "$variable" "$value"
  finds "secure ignored" "$work/privileged" "$variable" "$value"
done <<END
CLPOOL_GUARD 1
CLPOOL_DEVICE no such device
CLPOOL_TEST no such device
PYOPENCL_TEST no such device
PYOPENCL_CTX no such device
CUDA_DEVICE no number
HOME $work/home
OMPI_COMM_WORLD_LOCAL_RANK no number
SLURM_LOCALID no number
MPI_LOCALRANKID no number
END
[ "$failures" = 0 ]

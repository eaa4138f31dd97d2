# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# What every quick-start script shares: quiet numbered steps with one line each, a log that a failing step
# points to, and the environment in which the distribution's own tools are found first. Sourced, never run.

set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)

# The distribution's tools, even where others stand first on PATH (pyenv, conda, Homebrew), and plain messages.
export PATH="/usr/sbin:/usr/bin:/sbin:/bin:$PATH" LC_ALL=C.UTF-8
unset CMAKE_PREFIX_PATH PYTHONHOME PYTHONPATH

step_number=0
step_count=0
script_started=$SECONDS

# begin NAME STEPS: opens build/NAME.log.
begin() {
  script_name=$1
  step_count=$2
  log="$root/build/$1.log"
  mkdir -p "$root/build" && : >"$log" ||
    { echo "$1: cannot write $log: run it as the owner of $root" >&2; exit 1; }
  trap 'stopped 130' INT
  trap 'stopped 143' TERM
}

stopped() {
  printf '\n%s: interrupted; the log is %s\n' "$script_name" "$log" >&2
  exit "$1"
}

# say TEXT...: one line, to the terminal and the log.
say() {
  printf '%s\n' "$*" | tee -a "$log"
}

# die TEXT...: the reason, where the log is, and out.
die() {
  printf '\n%s: %s\n' "$script_name" "$*" | tee -a "$log" >&2
  printf 'The log is %s\n' "$log" >&2
  exit 1
}

# announce TEXT: the start of a step's line; passed or failed ends it.
announce() {
  step_number=$((step_number + 1))
  step_started=$SECONDS
  printf '[%*d/%d] %s ... ' ${#step_count} "$step_number" "$step_count" "$1"
  printf '\n=== [%d/%d] %s\n' "$step_number" "$step_count" "$1" >>"$log"
}

passed() {
  printf '%s (%d s)\n' "$1" $((SECONDS - step_started))
}

# failed TEXT [FILE]: ends the line and shows the end of the file, or of what the step wrote to the log.
failed() {
  printf '%s (%d s)\n' "$1" $((SECONDS - step_started))
  awk '/^=== \[/ {text = ""; next} {text = text "    " $0 "\n"} END {printf "%s", text}' "${2:-$log}" | tail -n 60 >&2
}

# step TEXT COMMAND...: runs the command with its output in the log; a failure ends the script.
step() {
  announce "$1"
  shift
  if "$@" >>"$log" 2>&1 </dev/null; then
    passed "done"
    return
  fi
  failed "FAILED"
  die "this step failed: $*"
}

# core_jobs: how many compilers at once: one a core, but with at least 1 GiB of memory each.
core_jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable:/ {print int($2 / 1048576)}' /proc/meminfo)
  [ "${memory:-0}" -ge 1 ] || memory=1
  echo $((cores < memory ? cores : memory))
}

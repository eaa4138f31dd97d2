# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# Configures and builds a preset, and runs its tests; for sanitizer builds also with address-space randomization
# switched off where that is allowed, because gcc's ThreadSanitizer cannot start under the 32 random bits that newer
# kernels use. Sourced after steps.sh.

command -v ccache >/dev/null && export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache

# for_preset PRESET COMMAND...
for_preset() {
  local preset=$1
  shift
  case "$preset" in asan | tsan) setarch -R true 2>/dev/null && set -- setarch -R "$@" ;; esac
  (cd "$root" && "$@")
}

# configure PRESET OPTION...: a build folder that was made for a checkout elsewhere (copied, moved) is made anew.
configure() {
  local preset=$1 folder="$root/build/$1"
  shift
  if [ -f "$folder/CMakeCache.txt" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
    rm -rf "$folder"
  fi
  for_preset "$preset" cmake --preset "$preset" "$@"
}

# build PRESET TARGET...
build() {
  local preset=$1
  shift
  for_preset "$preset" cmake --build "build/$preset" -j "$(core_jobs)" ${1:+--target "$@"}
}

# failing_tests FILE: what those tests of ctest's output said that failed, and their list.
failing_tests() {
  awk '/^ *Start +[0-9]+: |^ *[0-9]+\/[0-9]+ Test +#/ {show = /\*\*\*(Failed|Exception|Timeout|Not Run)/}
       /^The following tests FAILED:/ {show = 1}
       show' "$1"
}

# leak_checks_that_crashed FILE: the tests of ctest's output that failed in nothing but LeakSanitizer's own crash ("Tracer caught
# signal 11", gcc 12): it looks at the threads of a driver (PoCL) that are just ending.
leak_checks_that_crashed() {
  awk 'function finish() {
         if (crashed && !failed) print name
         crashed = failed = 0
       }
       /^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / {
         finish()
         name = $0
         sub(/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: /, "", name)
         sub(/ +\.*\*\*\*.*/, "", name)
       }
       /LeakSanitizer has encountered a fatal error/ {crashed = 1}
       /\[  FAILED  \]|: Failure$|ERROR: [A-Za-z]*Sanitizer|runtime error: / {failed = 1}
       END {finish()}' "$1"
}

tests_passed=0 tests_failed=0 tests_skipped=0
failures=()  # what say_failures repeats

# failure_lines FILE: from what failing_tests gives of it, the names, and what each said first.
failure_lines() {
  failing_tests "$1" | awk '/\*\*\*(Failed|Exception|Timeout|Not Run)/ {sub(/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: /, ""); print}
    after > 0 {print "  " $0; after--}
    /\[  FAILED  \] .*\)$/ {print "  " $0}
    /: Failure$|ERROR: [A-Za-z]*Sanitizer|WARNING: ThreadSanitizer|runtime error: |^FAILED / {print "  " $0; after = 2}' | head -n 40
}

# say_failures: at the end, what failed on the way, as only the end of a long output may be kept.
say_failures() {
  [ "${#failures[@]}" = 0 ] || say "$(printf '\nfailed:\n'; printf '%s\n' "${failures[@]}" | sed 's/^/    /')"
}

# check_step TEXT COMMAND...: a step that counts as one test.
check_step() {
  local text=$1
  announce "$text"
  shift
  if "$@" >>"$log" 2>&1 </dev/null; then
    tests_passed=$((tests_passed + 1))
    passed "done"
  else
    tests_failed=$((tests_failed + 1))
    failures+=("$text")
    failed "FAILED"
  fi
}

# not_run TEXT REASON: such a step where it cannot be taken.
not_run() {
  announce "$1"
  tests_skipped=$((tests_skipped + 1))
  passed "skipped: $2"
}

# skip_reasons FILE: why tests were skipped, by the output of all of them (ctest's LastTest.log), each reason once with
# how often it was given: GoogleTest's, pytest's, JUnit's, NUnit's and our own programs' words.
skip_reasons() {
  awk 'next_line {sub(/^ +/, ""); reason[$0]++; next_line = 0; next}
       /: Skipped$/ || /^[0-9]+\) Ignored : / {next_line = 1}
       /^SKIPPED \[[0-9]+\] / {times = substr($2, 2) + 0; sub(/^SKIPPED \[[0-9]+\] [^ ]+: /, ""); reason[$0] += times}
       /Assumption failed: / {sub(/.*Assumption failed: /, ""); reason[$0]++}
       /^skipped:? / {sub(/^skipped:? ([A-Za-z]+\.[A-Za-z]+: )?/, ""); reason[$0]++}
       END {for (text in reason) printf "%5d x %s\n", reason[text], text}' "$1" | sort -k1,1nr -k2
}

# skipped_kinds OUTPUT WRITTEN: the kinds of tests of which every one was skipped, with how many there are, by what ctest
# printed and by the output of all (LastTest.log). A kind is a suite where each test of a program is one of ctest's
# (named SUITE.*), else the one that runs many at once. Those are skipped if nothing within them was run.
skipped_kinds() {
  awk 'function finish() {
         if (kind != "") {
           all[kind]++
           if (name in marked || within) skipped[kind]++
         }
         kind = name = ""
         within = ran_none = 0
       }
       FNR == NR {
         if (/\*\*\*Skipped/ && sub(/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: /, "")) {
           sub(/ *\.*\*\*\*Skipped.*/, "")
           marked[$0] = 1
         }
         next
       }
       /^[0-9]+\/[0-9]+ Test: / {finish(); sub(/^[0-9]+\/[0-9]+ Test: /, ""); kind = name = $0}
       /^Command: .*"--gtest_filter=[^*:-]+"/ {sub(/\.[^.]*$/, ".*", kind)}
       /^\[  PASSED  \] 0 tests/ {ran_none = 1}
       /^\[  SKIPPED \] [0-9]+ test/ && ran_none {within = 1}
       /^(=+ )?[0-9]+ skipped in / {within = 1}
       END {finish(); for (kind in all) if (skipped[kind] == all[kind]) print all[kind], kind}' "$1" "$2" | sort -k2
}

# Where the tests run, for those that may be skipped altogether: see all_skipped.txt.
runs_on=default

# forbidden_skips OUTPUT WRITTEN: those of the kinds for which all_skipped.txt gives no reason on $runs_on.
forbidden_skips() {
  local count kind on pattern reason
  while read -r count kind; do
    while read -r on pattern reason; do
      case "$on" in "$runs_on") [[ "$kind" == $pattern ]] && continue 2 ;; esac
    done < <(grep -v '^#' "$root/packaging/lib/all_skipped.txt")
    echo "$kind ($count)"
  done < <(skipped_kinds "$1" "$2")
}

# count_tests TEXT FOLDER COMMAND...: a step that counts: COMMAND is a ctest in the build folder. Failures do not end the
# script, so that all are seen at once. Tests that all were skipped, even those of one kind, or found no device, are
# failures: nothing was tested.
count_tests() {
  local text=$1 folder=$2 output="$2.tests" written="$2/Testing/Temporary/LastTest.log" total failing skipped reasons kinds crashed
  shift 2
  announce "$text"
  rm -f "$written"
  "$@" >"$output" 2>&1 </dev/null
  cat "$output" >>"$log"
  total=$(sed -n 's/^[0-9]*% tests passed.* out of \([0-9]*\)$/\1/p' "$output")
  failing=$(sed -n 's/^[0-9]*% tests passed, \([0-9]*\) tests\? failed .*/\1/p' "$output")
  failing=${failing:-0}
  mapfile -t crashed < <(leak_checks_that_crashed "$output")
  if [ "${#crashed[@]}" != 0 ]; then  # once more, by themselves
    cp "$written" "$output.written"
    written="$output.written"
    printf '%s\n' "${crashed[@]}" | sed 's/[].[^$*+?(){}|/]/[&]/g; s/.*/^&$/' | paste -sd '|' >"$output.crashed"
    "$@" -R "$(cat "$output.crashed")" >"$output.again" 2>&1 </dev/null
    cat "$output.again" >>"$log"
    if grep -q '^100% tests passed' "$output.again"; then
      failing=$((failing - ${#crashed[@]}))
    else
      crashed=()
    fi
  fi
  skipped=$(grep -c '\*\*\*Skipped' "$output")
  if [ -z "$total" ]; then
    failed "no result"
    die "ctest said neither passed nor failed"
  fi
  reasons=$(skip_reasons "$written")
  kinds=$(forbidden_skips "$output" "$written")
  tests_passed=$((tests_passed + total - failing - skipped))
  tests_failed=$((tests_failed + failing))
  tests_skipped=$((tests_skipped + skipped))
  if [ "$failing" != 0 ]; then
    failures+=("$text" "$(failure_lines "$output")")
    failed "$failing of $total FAILED" <(failing_tests "$output")
  elif [ "$skipped" = "$total" ]; then
    tests_failed=$((tests_failed + 1))
    failed "FAILED: all $total were skipped, so nothing was tested" /dev/null
  elif [[ "$reasons" == *"no OpenCL device"* ]]; then
    tests_failed=$((tests_failed + 1))
    failed "FAILED: there are $skipped skipped tests, some for want of the device that they were to run on" /dev/null
  elif [ -n "$kinds" ]; then
    tests_failed=$((tests_failed + 1))
    failed "FAILED: all of a kind were skipped, for which packaging/lib/all_skipped.txt has no reason" \
      <(printf '%s\n' "$kinds")
  else
    passed "$((total - skipped)) passed, $skipped skipped"
  fi
  [ "${#crashed[@]}" = 0 ] ||
    say "    LeakSanitizer itself crashed in these, which passed when they ran again: ${crashed[*]}"
  [ -z "$reasons" ] || say "$(printf 'skipped:\n%s' "$reasons" | sed 's/^/    /')"
}

# Tests that choose their driver themselves, and those that need none: once is enough.
without_the_device='^(abi|docs|faults|fuzz|hardening|install|mutants|orderings|structure|stub|transcripts|guarded\.[nos][a-z_0-9]*)\.|oclgrind'
without_the_device+='|on_the_fake_driver|python\.types_|java\.(documentation|close_tells_|junit_|races_|[a-z_]*_where_|futures_)|blocks_where_there_is_no'

# through: what the tests are run through, such as (env CLPOOL_TEST=rusticl).
through=()

# run_tests TEXT PRESET OPTION...: count_tests of a preset, half as many again at a time as there are processors: many tests wait.
run_tests() {
  local text=$1 preset=$2
  shift 2
  count_tests "$text" "$root/build/$preset" \
    for_preset "$preset" "${through[@]}" ctest --preset "$preset" -j "$((($(core_jobs) * 3 + 1) / 2))" "$@"
}

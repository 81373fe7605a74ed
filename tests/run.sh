#!/usr/bin/env bash
# Installs what the tests need, builds, and runs unit, lint and integration tests of the preset ci (warnings are errors).
# usage: tests/run.sh [--quick | --ci | --all]
#   --quick  build and unit tests only
#   --ci     also the tests of all rooms but experiments and the fuzzers under ASan+UBSan, and the tests of the pipeline and
#            of the queue under TSan: what continuous integration runs
#   --all    also the long integration tests
# The last line is 'N passed, N failed, N skipped', summed over all test programs (a step that does not
# build or configure counts as one failure); the exit code is 0 only when nothing failed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

what=${1:-usual}
case "$what" in
  usual | --quick | --ci | --all) ;;
  *) sed -n '2,10s/^# //p' "$0" >&2; exit 2 ;;
esac

# Tests that start threads: they run under TSan, from the programs named here, but for long ones with a single lane.
tsan_tests='^(Search|AskingOperator|MigrationTriggers|Finals)\.|^postgres$'
tsan_leaves_out='^Search\.(finds_better_points|seeds_lags)'
tsan_programs=(pipeline_tests postgres_tests)
# The rooms that take foreign input and run foreign code. The room experiments alone would take as long as they all.
asan_programs=(core_tests archive_tests operators_tests fitness_tests pipeline_tests postgres_tests)
# Each line: tests that run in the preset ci alone, since they need optimisation, an idle machine, or foreign compilers and
# packages; statistics and arithmetic, whose code other tests enter; hostile input by the megabyte and one fault per constant; long
# searches, which run under TSan.
asan_leaves_out='^(NumericReference|CudaBuild|HipDialectTest|RealCute|FlydslBuild|CpuEvaluatorTest)\.'
asan_leaves_out+='|^(Novelty|DuelErrorRates|VectorMath)\.|^Surrogate\.(finds_a_peak|of_several_sources)'
asan_leaves_out+='|/StrategyConformance\.(climbs_better|equal_tells)'
asan_leaves_out+='|^HostileReplies\.(against_the_largest_|of_many_lines)|^CpuEvaluatorFuzz\.other_constants'
asan_leaves_out+='|^Search\.(an_exact_budget|budgets_are_met)|\.a_run_that_(is_stopped_again|ends_whenever_it_waits)'

jobs=$(nproc)
results=build/test-results
rm -rf "$results"
mkdir -p "$results"
broken=0  # steps that failed before any test could
began=$SECONDS

say() { printf '\n== %s (%d s)\n' "$*" $((SECONDS - began)); }

finish() {
  local line files
  shopt -s nullglob
  files=("$results"/*.xml)
  line=$(python3 tests/sum_results.py --broken "$broken" "${files[@]}") ||
    line=${line:-"0 passed, $((broken > 0 ? broken : 1)) failed, 0 skipped"}
  say "done"
  echo "$line"
  [[ $line == *" 0 failed,"* ]] || exit 1
  exit 0
}

# build PRESET TARGET...: configures and builds; a failure is one broken step.
build() {
  local preset=$1
  shift
  say "build $preset: $*"
  if cmake --preset "$preset" -DKE_QUICK_BUILD=ON >"$results/$preset.configure.log" 2>&1; then
    "${wrap[@]}" cmake --build "build/$preset" -j "$jobs" --target "$@" && return 0
  else
    tail -n 30 "$results/$preset.configure.log"
  fi
  broken=$((broken + 1))
  return 1
}

# check PRESET NAME CTEST_ARGUMENTS...: runs tests and keeps their results.
check() {
  local preset=$1 name=$2 lanes=$jobs tries=()
  local log=$results/$preset-$name.log
  shift 2
  # Integration tests that may run beside others mostly wait: for servers, clocks and processes.
  # On a busy machine a kernel or a process may be seen too late: such tests get a second try, which is printed.
  [ "$name" != integration ] || { lanes=$((jobs + 1)); tries=(--repeat until-pass:2); }
  say "test $preset: $name"
  "${wrap[@]}" ctest --test-dir "build/$preset" --output-on-failure --no-tests=error -j "$lanes" --timeout 300 \
    --output-junit "$PWD/$results/$preset-$name.xml" "${tries[@]}" "$@" | tee "$log" |
    grep -vE '^ +Start |  Passed +[0-9.]+ sec$|\*\*\*Skipped +[0-9.]+ sec$'
  sed -nE 's/^.*Test +#[0-9]+: ([^ ]+) .*(\*\*\*(Failed|Timeout)|Passed).*$/\1 \2/p' "$log" |
    awk '/\*\*\*/ { failed[$1] = 1; next } $1 in failed { print "passed at the second try: " $1 }'
  # No tests at all is a fault of the selection; failed tests are counted from the file.
  [ -s "$results/$preset-$name.xml" ] || broken=$((broken + 1))
}

# TSan of this compiler needs address space randomisation off on newer Linux kernels.
no_randomisation() { setarch "$(uname -m)" -R true 2>/dev/null && wrap=(setarch "$(uname -m)" -R); }

wrap=()
groups=(build test)
[ $what = --quick ] || groups+=(lint)
tests/install_packages.sh "${groups[@]}" || { broken=1; finish; }

if [ $what = --quick ]; then
  build ci unit_tests && check ci unit -L unit
  finish
fi

tests/install_dsls.sh >"$results/dsls.log" 2>&1 &  # beside the compiler: it waits for the network
dsls=$!
if build ci all; then
  wait "$dsls"
  cat "$results/dsls.log"
  check ci unit -L unit
  check ci lint -L lint
  left_out=()
  [ $what = --all ] || left_out=(-LE long)
  check ci integration -L 'integration|timed' "${left_out[@]}"
fi
[ $what != usual ] || finish
if build asan "${asan_programs[@]}" fuzzers; then
  check asan unit -L 'unit|timed' -E "$asan_leaves_out"
  check asan fuzz -L fuzz
fi
no_randomisation
build tsan "${tsan_programs[@]}" && check tsan pipeline -L unit -R "$tsan_tests" -E "$tsan_leaves_out"
finish

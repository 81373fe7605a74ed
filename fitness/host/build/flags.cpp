#include "fitness/host/build/flags.hpp"

#include <algorithm>
#include <cctype>

#include "core/text.hpp"

namespace ke {
namespace {

// clang-format off
// Exact flags. Each affects only the code made from the candidate's own text: none names a file, a
// program, a plug-in or another stage.
constexpr std::string_view exact_flags[] = {
    "-O", "-O0", "-O1", "-O2", "-O3", "-Os", "-Og", "-Ofast", "-fopenmp", "-fopenmp-simd",
    "-std=c++11", "-std=c++14", "-std=c++17", "-std=c++20", "-std=c++23", "-std=c++2b",
    "-std=gnu++11", "-std=gnu++14", "-std=gnu++17", "-std=gnu++20", "-std=gnu++23", "-w", "-Wall",
    "-Wextra", "-g0", "-mrecip", "-mno-recip", "-mvzeroupper", "-mno-vzeroupper", "-m64",
    "-fvect-cost-model=unlimited", "-fvect-cost-model=dynamic", "-fvect-cost-model=cheap",
    "-fvect-cost-model=very-cheap", "-fsimd-cost-model=unlimited", "-fsimd-cost-model=dynamic",
    "-fsimd-cost-model=cheap", "-ffp-contract=fast", "-ffp-contract=off", "-ffp-contract=on",
    "-fexcess-precision=fast", "-fexcess-precision=standard"};

// Optimisation switches: -fNAME and -fno-NAME.
constexpr std::string_view switch_flags[] = {
    "fast-math", "finite-math-only", "signed-zeros", "math-errno", "trapping-math",
    "associative-math", "reciprocal-math", "unsafe-math-optimizations", "rounding-math",
    "signaling-nans", "cx-limited-range", "builtin", "strict-aliasing", "strict-overflow", "wrapv",
    "unroll-loops", "unroll-all-loops", "peel-loops", "split-loops", "unswitch-loops",
    "tree-vectorize", "tree-loop-vectorize", "tree-slp-vectorize", "tree-loop-distribution",
    "tree-loop-distribute-patterns", "tree-loop-im", "tree-loop-ivcanon", "tree-loop-if-convert",
    "tree-partial-pre", "tree-pre", "tree-sra", "tree-ter", "tree-vrp", "tree-dce", "tree-ccp",
    "loop-interchange", "loop-nest-optimize", "loop-block", "loop-strip-mine",
    "loop-unroll-and-jam", "loop-parallelize-all", "graphite-identity", "version-loops-for-strides",
    "prefetch-loop-arrays", "predictive-commoning", "ivopts", "split-ivs-in-unroller",
    "variable-expansion-in-unroller", "web", "rename-registers", "schedule-insns",
    "schedule-insns2", "sched-pressure", "sched-spec", "modulo-sched",
    "modulo-sched-allow-regmoves", "reschedule-modulo-scheduled-loops", "selective-scheduling",
    "selective-scheduling2", "sel-sched-pipelining", "omit-frame-pointer", "inline",
    "inline-functions", "inline-small-functions", "inline-functions-called-once", "early-inlining",
    "ipa-cp", "ipa-cp-clone", "ipa-pta", "ipa-sra", "gcse", "gcse-lm", "gcse-sm", "gcse-las",
    "gcse-after-reload", "cse-follow-jumps", "if-conversion", "if-conversion2", "code-hoisting",
    "crossjumping", "reorder-blocks", "reorder-blocks-and-partition", "reorder-functions",
    "thread-jumps", "jump-tables", "cprop-registers", "forward-propagate", "fp-int-builtin-inexact",
    "merge-constants", "align-functions", "align-loops", "align-jumps", "align-labels",
    "exceptions", "rtti", "threadsafe-statics", "stack-protector", "delete-null-pointer-checks",
    "isolate-erroneous-paths-dereference", "split-paths", "split-wide-types", "store-merging",
    "ssa-phiopt", "branch-count-reg", "caller-saves", "combine-stack-adjustments", "dse", "dce",
    "defer-pop", "expensive-optimizations", "hoist-adjacent-loads", "live-range-shrinkage",
    "partial-inlining", "shrink-wrap", "single-precision-constant", "asynchronous-unwind-tables",
    "unwind-tables", "non-call-exceptions", "plt", "semantic-interposition",
    "zero-initialized-in-bss"};

// Instruction sets and code generation: -mNAME and -mno-NAME.
constexpr std::string_view machine_flags[] = {
    "sse", "sse2", "sse3", "ssse3", "sse4", "sse4.1", "sse4.2", "avx", "avx2", "fma", "fma4",
    "f16c", "avx512f", "avx512vl", "avx512bw", "avx512dq", "avx512cd", "avx512ifma", "avx512vbmi",
    "avx512vbmi2", "avx512vnni", "avx512bitalg", "avx512vpopcntdq", "avx512bf16", "avx512fp16",
    "avx512vp2intersect", "avxvnni", "amx-tile", "amx-int8", "amx-bf16", "bmi", "bmi2", "lzcnt",
    "popcnt", "abm", "movbe", "prfchw", "gfni", "vaes", "vpclmulqdq", "aes", "pclmul", "adx",
    "clflushopt", "avx256-split-unaligned-load", "avx256-split-unaligned-store", "red-zone", "stv",
    "accumulate-outgoing-args", "push-args", "inline-all-stringops"};

// Flags such as -fNAME=NUMBER and -mNAME=WORD, whose value is one harmless word.
constexpr std::string_view with_word[] = {
    "-march=", "-mtune=", "-mprefer-vector-width=", "-mveclibabi=", "-mmove-max=", "-mstore-max=",
    "-mrecip=", "-mstringop-strategy=", "-mbranch-cost=", "-fprefetch-loop-arrays=",
    "-falign-functions=", "-falign-loops=", "-falign-jumps=", "-falign-labels=",
    "-ftree-parallelize-loops=", "-fsched-stalled-insns=", "-finline-limit=", "-fira-algorithm=",
    "-fira-region=", "-freorder-blocks-algorithm=", "-mlarge-data-threshold="};

constexpr std::string_view dropped_flags[] = {"-pthread",  "-ldl",   "-lm",     "-lmvec",
                                              "-lpthread", "-lgomp", "-shared", "-fPIC",
                                              "-fpic",     "-pipe",  "-c"};
// clang-format on

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '-' || c == '_' || c == '.' || c == '!' || c == ',' || c == '+';
  });
}

template <std::size_t N>
bool is_switch(std::string_view flag, std::string_view prefix, const std::string_view (&list)[N]) {
  if (!flag.starts_with(prefix)) return false;
  flag.remove_prefix(prefix.size());
  if (holds(list, flag)) return true;
  return flag.starts_with("no-") && holds(list, flag.substr(3));
}

// --param=NAME=NUMBER
bool is_param(std::string_view flag) {
  constexpr std::string_view prefix = "--param=";
  if (!flag.starts_with(prefix)) return false;
  flag.remove_prefix(prefix.size());
  const std::size_t equals = flag.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view value = flag.substr(equals + 1);
  const auto digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  return is_word(flag.substr(0, equals)) && !value.empty() && value.size() <= 9 &&
         std::all_of(value.begin(), value.end(), digit);
}

bool has_word_value(std::string_view flag) {
  return std::any_of(std::begin(with_word), std::end(with_word), [&](std::string_view prefix) {
    return flag.starts_with(prefix) && is_word(flag.substr(prefix.size()));
  });
}

bool is_allowed(std::string_view flag) {
  return holds(exact_flags, flag) || is_switch(flag, "-f", switch_flags) ||
         is_switch(flag, "-m", machine_flags) || has_word_value(flag) || is_param(flag);
}

}  // namespace

FlagCheck check_flags(const std::vector<std::string>& flags) {
  FlagCheck check;
  for (const std::string& flag : flags) {
    if (holds(dropped_flags, flag)) continue;
    if (!is_allowed(flag)) {
      check.forbidden = flag;
      return check;
    }
    check.accepted.push_back(flag);
  }
  return check;
}

std::string_view allowed_flags() {
  return "-O levels, -std=, -march=, -mtune=, instruction sets (-mavx2, -mno-fma), switches of "
         "optimisation (-ffast-math, -fno-math-errno, -funroll-loops), -falign-*=, -fopenmp and "
         "--param=NAME=NUMBER; no macros (declare a @knob), paths, libraries or warnings";
}

bool is_allowed_define(std::string_view name, std::string_view value) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) return false;
  const auto in_name = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  const auto in_value = [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '.' || c == '+' || c == '-';
  };
  return std::all_of(name.begin(), name.end(), in_name) &&
         std::all_of(value.begin(), value.end(), in_value);
}

}  // namespace ke

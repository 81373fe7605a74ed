#pragma once
// The judge's verdict on a candidate. A separate reason code gives the cause.

#include <array>
#include <optional>
#include <string_view>

namespace ke {

enum class Verdict {
  ok,
  rejected,  ///< breaks a rule before it runs (symbols, flags, exports)
  compile_error,
  compile_limit,  ///< compiler ran out of time, memory or output size
  load_error,
  runtime_error,  ///< crashed or violated the protocol
  timeout,
  resource_limit,
  wrong_result,
  nondeterministic,
  suspicious,  ///< faster than its floor, or implausible by another rule
  unreliable,  ///< could not be timed well enough; no information on the kernel
  lost,        ///< the worker or host died; no information on the kernel
};
constexpr Verdict last_value(Verdict) { return Verdict::lost; }

inline constexpr std::array<std::string_view, 13> verdict_names = {
    "ok",      "rejected",       "compile_error", "compile_limit",    "load_error", "runtime_error",
    "timeout", "resource_limit", "wrong_result",  "nondeterministic", "suspicious", "unreliable",
    "lost"};

constexpr std::string_view to_string(Verdict verdict) {
  return verdict_names[static_cast<std::size_t>(verdict)];
}

constexpr std::optional<Verdict> parse_verdict(std::string_view name) {
  for (std::size_t i = 0; i < verdict_names.size(); ++i) {
    if (verdict_names[i] == name) return static_cast<Verdict>(i);
  }
  return std::nullopt;
}

/// Whether the answer gives no information on the kernel and a repeat may succeed.
constexpr bool is_worth_asking_again(Verdict verdict) {
  return verdict == Verdict::lost || verdict == Verdict::unreliable;
}

/// False for outcomes that give no information on the kernel; such a candidate may be tried again.
constexpr bool is_judged(Verdict verdict) {
  return !is_worth_asking_again(verdict) && verdict != Verdict::timeout;
}

}  // namespace ke

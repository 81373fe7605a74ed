#pragma once
// The record that operators learn from, where search and judge both write: what a profiler said.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/evaluation.hpp"

namespace ke {

inline constexpr std::size_t feedback_limit_bytes = 4096;

/// How the measures begin that a profiler's counters gave. They are no axes: few kernels have them.
inline constexpr std::string_view profile_prefix = "ncu_";

/// How the policy flag begins that says why a kernel was not profiled.
inline constexpr std::string_view unprofiled_flag = "profile not_applicable";

/// Puts sentences about what limits a kernel into its record, as the list `profile`; as many of
/// them as fit.
void add_profile(std::string& feedback, const std::vector<std::string>& sentences);

/// The sentences of a record; none when nothing was profiled.
std::vector<std::string> profile_of(const std::string& feedback);

/// Measures and sentences of a fact whose kernel was profiled go to what else is known of that
/// kernel. Nothing else changes; nothing at all when the fact has none.
void take_profile(const Fact& from, std::map<std::string, double>& measures, std::string& feedback);

}  // namespace ke

#pragma once
// Access to JSON of unknown structure. Private to operators/llm, which keeps nlohmann's header out
// of public headers.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/json.hpp"

namespace ke {

/// The value at a path of keys and list positions ("usage/details/cached"), or null.
const Json* find(const Json& json, std::string_view path);
/// The text at a path; "" when there is none.
std::string text_at(const Json& json, std::string_view path);
/// Larger counts are cut to this one, so that sums and prices of them fit in 64 bits.
constexpr std::int64_t largest_count = 100'000'000;

/// The count at a path, written as 8, 8.0 or "8"; 0 when there is none or it is negative.
std::int64_t count_at(const Json& json, std::string_view path);

}  // namespace ke

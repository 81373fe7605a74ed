#pragma once
// Facts that another host encoded: data, whatever they hold.

#include <string_view>

#include "core/evaluation.hpp"

namespace ke::postgres {

/// The fact of a row. Bytes that are no fact, or the fact of another key, become a `lost` one with
/// the reason `damaged`, so that the search goes on without the candidate.
Fact stored_fact(const Digest& key, std::string_view bytes);

}  // namespace ke::postgres

#pragma once
// Parses providers' error formats.

#include <string_view>

#include "operators/llm/client/answer.hpp"

namespace ke {

/// Reads {"error": {"code", "type" | "status", "param", "message", "details": {"error_code"}}},
/// also in a list with one item, and {"type" | "object": "error", "code", "message"}. A numeric
/// code is an HTTP status. Empty when there is no error.
WireError read_wire_error(std::string_view body);

}  // namespace ke

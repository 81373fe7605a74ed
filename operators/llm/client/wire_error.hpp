#pragma once
// Errors as providers write them.

#include <string_view>

#include "operators/llm/client/answer.hpp"

namespace ke {

/// Reads {"error": {"code", "type" | "status", "param", "message", "details": {"error_code"}}},
/// also in a list of one, and {"type" | "object": "error", "code", "message"}. A code may be a
/// number: a status of HTTP. Empty when there is none.
WireError read_wire_error(std::string_view body);

}  // namespace ke

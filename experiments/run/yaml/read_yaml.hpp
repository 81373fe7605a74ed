#pragma once
// Strict YAML: one document per file, without the traps of YAML 1.1.

#include <string>
#include <string_view>

#include "core/node.hpp"
#include "core/result.hpp"

namespace ke {

/// Largest file that is read, in bytes.
inline constexpr std::size_t yaml_limit_bytes = 1 << 20;

/// Reads one document. Refuses, each with `file:line:col`: duplicate and non-scalar keys, anchors,
/// aliases, merge keys, tags, second documents, tabs as indentation, control characters, numbers
/// with a leading zero (octal or decimal?), texts above 1 MiB. Reports all errors found, one per
/// line. An empty text gives a null node.
Result<Node> read_yaml_text(std::string_view file, std::string_view text);

/// Reads a file; Failure::config if it is missing, unreadable or no regular file.
Result<Node> read_yaml_file(const std::string& path);

/// Reads `value` as if it were in a file, with the place "command line".
Result<Node> read_yaml_value(std::string_view what, std::string_view value);

}  // namespace ke

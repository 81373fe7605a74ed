#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/evaluation.hpp"

namespace ke {

/// Messages about `file` in a compiler's output, errors first, at most 10, each at most 300
/// bytes. Drops text about other files, which could quote them.
std::vector<Diagnostic> parse_diagnostics(std::string_view output, std::string_view file);

/// Like parse_diagnostics, for headers directly in `folder`, which candidates are meant to include:
/// an error that a candidate leaves open before an #include is reported there.
std::vector<Diagnostic> parse_header_diagnostics(std::string_view output, std::string_view folder);

/// A note of the vectoriser about one loop.
struct LoopNote {
  int line = 0;
  bool vectorized = false;
  std::string text;
};

/// The vectoriser's notes about loops of `file`, at most 20, without duplicates.
std::vector<LoopNote> parse_loop_notes(std::string_view output, std::string_view file);

}  // namespace ke

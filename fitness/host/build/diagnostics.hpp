#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/evaluation.hpp"

namespace ke {

/// The messages about `file` in a compiler's output, errors before the rest, at most `limit`, each
/// capped at 300 bytes. Text about other files is dropped: it could quote them.
std::vector<Diagnostic> parse_diagnostics(std::string_view output, std::string_view file,
                                          std::size_t limit = 10);

/// The same about the headers that lie right in `folder`, which candidates are meant to include:
/// what they leave open before an #include is reported there.
std::vector<Diagnostic> parse_header_diagnostics(std::string_view output, std::string_view folder,
                                                 std::size_t limit = 10);

/// A note of the vectoriser about one loop.
struct LoopNote {
  int line = 0;
  bool vectorized = false;
  std::string text;
};

/// The vectoriser's notes about loops of `file`, at most `limit`, without repetitions.
std::vector<LoopNote> parse_loop_notes(std::string_view output, std::string_view file,
                                       std::size_t limit = 20);

}  // namespace ke

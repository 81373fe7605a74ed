#pragma once
// Parses SEARCH/REPLACE blocks line by line.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "operators/llm/edit.hpp"
#include "operators/llm/lines.hpp"
#include "operators/llm/reply.hpp"

namespace ke {

/// Collects the blocks in the lines of an answer.
class BlockScan {
 public:
  /// Processes lines[at]; call it for each line in order. Returns an error, if any.
  std::optional<EditFailure> line(std::size_t at, std::span<const Line> lines);
  /// All blocks; the error truncated if one is still open.
  Edit<std::vector<Block>> finish();
  /// The lines outside all blocks.
  std::span<const Line> outside() const { return outside_; }

 private:
  std::optional<EditFailure> open(std::size_t at, std::string_view text);
  std::optional<EditFailure> close(std::size_t at, std::span<const Line> lines);
  std::optional<std::size_t> divider() const;
  EditFailure malformed(std::string_view problem) const;

  struct Divider {
    std::size_t at;
    std::size_t length;
  };

  std::vector<Block> blocks_;
  std::vector<Line> outside_;
  std::optional<std::size_t> open_;  ///< line of the open block's first marker
  std::size_t length_ = 0;           ///< number of signs in that marker
  std::size_t indent_ = 0;           ///< number of blanks before it
  std::vector<Divider> dividers_;    ///< dividers of the open block
};

}  // namespace ke

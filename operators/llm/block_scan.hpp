#pragma once
// SEARCH/REPLACE blocks, line by line.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "operators/llm/edit.hpp"
#include "operators/llm/lines.hpp"
#include "operators/llm/reply.hpp"

namespace ke {

/// Collects the blocks among the lines of an answer.
class BlockScan {
 public:
  /// Takes lines[at]; lines must be taken in order. Answers what is wrong, if anything is.
  std::optional<EditFailure> line(std::size_t at, std::span<const Line> lines);
  /// All blocks, or truncated if one is open.
  Edit<std::vector<Block>> finish();
  /// The lines that belong to no block.
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
  std::optional<std::size_t> open_;  ///< line of the first marker of the open block
  std::size_t length_ = 0;           ///< signs in that marker
  std::size_t indent_ = 0;           ///< blanks before it
  std::vector<Divider> dividers_;    ///< of the open block
};

}  // namespace ke

#include "operators/llm/block_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/text.hpp"
#include "operators/llm/fences.hpp"

namespace ke {
namespace {

constexpr std::size_t fewest_signs = 5;
constexpr std::size_t most_signs = 9;

/// Number of signs in a marker line: blanks, signs, blanks, the word in any case. 0 = not a marker.
std::size_t marker(std::string_view line, char sign, std::string_view word) {
  line = trim(line);
  const std::size_t signs = std::min(line.find_first_not_of(sign), line.size());
  if (signs < fewest_signs || signs > most_signs) return 0;
  const std::string_view rest = trim(line.substr(signs));
  const auto same = [](char a, char b) { return std::toupper(static_cast<unsigned char>(a)) == b; };
  return std::ranges::equal(rest, word, same) ? signs : 0;
}

/// Removes a fence around the whole section. No source begins with a fence mark.
std::span<const Line> without_fence(std::span<const Line> lines) {
  const auto inner = without_blank_ends(lines);
  if (inner.size() < 2) return lines;
  const auto opening = fence_mark(inner.front().text);
  const auto closing = fence_mark(inner.back().text);
  if (!opening || !closing || !closing->closes(*opening)) return lines;
  return inner.subspan(1, inner.size() - 2);
}

std::string joined(std::span<const Line> lines, std::size_t indent) {
  std::string text;
  for (const Line& line : without_fence(lines)) {
    text.append(line.text.substr(std::min(indent, indentation(line.text).size()))) += '\n';
  }
  return text;
}

}  // namespace

EditFailure BlockScan::malformed(std::string_view problem) const {
  return failure("malformed_block",
                 fmt::format("block {} (line {} of the answer) {}; write '<<<<<<< SEARCH', the old "
                             "lines, '=======', the new lines, '>>>>>>> REPLACE'",
                             blocks_.size() + 1, open_.value_or(0) + 1, problem));
}

std::optional<EditFailure> BlockScan::line(std::size_t at, std::span<const Line> lines) {
  const std::string_view text = lines[at].text;
  const bool closing = marker(text, '>', "REPLACE") > 0;
  if (marker(text, '<', "SEARCH") > 0) return open(at, text);
  if (closing && open_) return close(at, lines);
  if (closing) {
    open_ = at;
    return malformed("has no '<<<<<<< SEARCH' line");
  }
  if (!open_) {
    outside_.push_back(lines[at]);
  } else if (const std::size_t signs = marker(text, '=', "")) {
    dividers_.push_back({at, signs});
  }
  return std::nullopt;
}

std::optional<EditFailure> BlockScan::open(std::size_t at, std::string_view text) {
  if (open_) return malformed("has no '>>>>>>> REPLACE' line before the next block");
  if (blocks_.size() == most_blocks) {
    return failure("too_large",
                   fmt::format("the reply holds more than {} blocks; make fewer", most_blocks));
  }
  open_ = at;
  length_ = marker(text, '<', "SEARCH");
  indent_ = indentation(text).size();
  dividers_.clear();
  return std::nullopt;
}

/// The only divider, or the only one as long as the first marker.
std::optional<std::size_t> BlockScan::divider() const {
  if (dividers_.size() == 1) return dividers_[0].at;
  const auto fits = [&](const Divider& divider) { return divider.length == length_; };
  if (std::ranges::count_if(dividers_, fits) != 1) return std::nullopt;
  return std::ranges::find_if(dividers_, fits)->at;
}

std::optional<EditFailure> BlockScan::close(std::size_t at, std::span<const Line> lines) {
  if (dividers_.empty()) return malformed("has no '=======' line");
  const auto middle = divider();
  if (!middle) return malformed("has more than one '=======' line");
  Block block;
  block.line = *open_ + 1;
  block.search = joined(lines.subspan(*open_ + 1, *middle - *open_ - 1), indent_);
  block.replace = joined(lines.subspan(*middle + 1, at - *middle - 1), indent_);
  if (!is_text(block.search) || !is_text(block.replace)) {
    return failure("not_text",
                   fmt::format("block {} holds NUL or is not valid UTF-8", blocks_.size() + 1));
  }
  blocks_.push_back(std::move(block));
  open_.reset();
  return std::nullopt;
}

Edit<std::vector<Block>> BlockScan::finish() {
  if (!open_) return std::move(blocks_);
  return failure("truncated", fmt::format("the reply ends inside block {} (line {} of the answer); "
                                          "make fewer or smaller blocks",
                                          blocks_.size() + 1, *open_ + 1));
}

}  // namespace ke

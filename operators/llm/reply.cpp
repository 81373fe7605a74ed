#include "operators/llm/reply.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>
#include <utility>

#include "core/text.hpp"
#include "operators/llm/fences.hpp"
#include "operators/llm/lines.hpp"
#include "operators/llm/reasoning.hpp"

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

/// Collects the blocks in the lines of an answer.
class BlockScan {
 public:
  /// Processes lines[at]; call it for each line in order. Returns an error, if any.
  std::optional<EditFailure> line(std::size_t at, std::span<const Line> lines) {
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

  /// All blocks; the error truncated if one is still open.
  Edit<std::vector<Block>> finish() {
    if (!open_) return std::move(blocks_);
    return failure("truncated",
                   fmt::format("the reply ends inside block {} (line {} of the answer); "
                               "make fewer or smaller blocks",
                               blocks_.size() + 1, *open_ + 1));
  }

  /// The lines outside all blocks.
  std::span<const Line> outside() const { return outside_; }

 private:
  std::optional<EditFailure> open(std::size_t at, std::string_view text) {
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

  std::optional<EditFailure> close(std::size_t at, std::span<const Line> lines) {
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

  /// The only divider, or the only one as long as the first marker.
  std::optional<std::size_t> divider() const {
    if (dividers_.size() == 1) return dividers_[0].at;
    const auto fits = [&](const Divider& divider) { return divider.length == length_; };
    if (std::ranges::count_if(dividers_, fits) != 1) return std::nullopt;
    return std::ranges::find_if(dividers_, fits)->at;
  }

  EditFailure malformed(std::string_view problem) const {
    return failure(
        "malformed_block",
        fmt::format("block {} (line {} of the answer) {}; write '<<<<<<< SEARCH', the old "
                    "lines, '=======', the new lines, '>>>>>>> REPLACE'",
                    blocks_.size() + 1, open_.value_or(0) + 1, problem));
  }

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

/// Checks a reply as a whole, before parsing it.
std::optional<EditFailure> unfit(std::string_view reply) {
  if (reply.size() > longest_reply) {
    return failure("too_large", fmt::format("the reply has {} bytes; at most {} are read",
                                            reply.size(), longest_reply));
  }
  if (is_blank(reply)) return failure("no_code", "the reply is empty");
  return std::nullopt;
}

EditFailure cut_in_reasoning() {
  return failure("truncated", "the reply ends inside its reasoning; think less, then answer");
}

EditFailure cut_in_fence(const Fence& fence) {
  return failure("truncated", fmt::format("the code fence opened in line {} of the answer is never "
                                          "closed; answer with less text, and close the fence",
                                          fence.first));
}

/// False for a lone mark at the very end, which is stray.
bool opens_in_earnest(const Fence& fence, std::span<const Line> lines) {
  if (!fence.mark.info.empty()) return true;
  return !without_blank_ends(lines.subspan(fence.first, fence.end - fence.first)).empty();
}

/// The last fence that is never closed, or null.
const Fence* unclosed(std::span<const Fence> fences, std::span<const Line> lines) {
  for (std::size_t i = fences.size(); i-- > 0;) {
    if (!fences[i].closed && opens_in_earnest(fences[i], lines)) return &fences[i];
  }
  return nullptr;
}

/// The first word of a fence's label in lower case: "cuda" for "CUDA title=kernel.cu".
std::string label_of(const Fence& fence) {
  std::string label(fence.mark.info.substr(0, fence.mark.info.find_first_of(" \t{,")));
  std::ranges::transform(label, label.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c;
  });
  return label;
}

/// Collects the contents of fences and selects the answer.
class SourceChoice {
 public:
  SourceChoice(const SourceRule& rule, std::string_view parent)
      : rule_(rule), parent_lines_(split_lines(parent)) {}

  void offer(const Fence& fence, std::string text) {
    if (is_blank(text)) return;
    ++seen_;
    const Rank rank = rank_of(fence, text);
    if (rank == Rank::other || rank < rank_) return;
    rank_ = rank;
    text_ = std::move(text);
    fence_ = &fence;
  }

  const Fence* fence() const { return fence_; }
  std::string& text() { return text_; }

  EditFailure nothing_chosen() const {
    if (seen_ == 0) {
      return failure("no_code", "the reply holds no code fence; give the source in one ``` fence");
    }
    return failure("no_entry_point",
                   fmt::format("no code fence of the reply ({} seen) holds a whole kernel: {}",
                               seen_, cut(missing_, 300)));
  }

 private:
  enum class Rank { other, echo, answer };

  Rank rank_of(const Fence& fence, std::string_view text) {
    if (const std::string label = label_of(fence); !rule_.fits_label(label)) {
      missing_ = fmt::format("it is labelled '{}'", cut(label, 40));
      return Rank::other;
    }
    if (std::string missing = rule_.missing(text); !missing.empty()) {
      missing_ = std::move(missing);
      return Rank::other;
    }
    const auto lines = split_lines(text);
    const bool echo = same_lines(without_blank_ends(lines), without_blank_ends(parent_lines_));
    return echo ? Rank::echo : Rank::answer;
  }

  const SourceRule& rule_;
  std::vector<Line> parent_lines_;
  std::string missing_;  ///< from the last incomplete fence
  int seen_ = 0;
  Rank rank_ = Rank::other;
  std::string text_;
  const Fence* fence_ = nullptr;
};

/// Removes a byte order mark; an error when the source is too large or not text.
Edit<std::string> checked(std::string text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  if (text.size() > longest_source) {
    return failure("too_large", fmt::format("the source has {} bytes; at most {} are allowed",
                                            text.size(), longest_source));
  }
  if (!is_text(text)) return failure("not_text", "the source holds NUL or is not valid UTF-8");
  return text;
}

}  // namespace

SourceRule whole_kernel(const Language& language, std::string_view parent) {
  return {
      [&language, parent](std::string_view text) { return missing_entry(language, text, parent); },
      [&language](std::string_view label) { return fits_fence(language, label); }};
}

Edit<std::string> find_source(std::string_view reply, const SourceRule& rule,
                              std::string_view parent) {
  if (auto failed = unfit(reply)) return *std::move(failed);
  const ReplyText answer = without_reasoning(reply);
  if (answer.cut_short) return cut_in_reasoning();
  const auto lines = split_lines(answer.text);
  const auto fences = find_fences(lines);
  SourceChoice choice(rule, parent);
  for (const Fence& fence : fences) {
    if (fence.code) choice.offer(fence, content(fence, lines));
  }
  const Fence* open = unclosed(fences, lines);
  const bool cut_off = open != nullptr && (!choice.fence() || open->first > choice.fence()->end);
  if (cut_off) return cut_in_fence(*open);
  if (!choice.fence()) return choice.nothing_chosen();
  return checked(std::move(choice.text()));
}

Edit<std::vector<Block>> find_blocks(std::string_view reply) {
  if (auto failed = unfit(reply)) return *std::move(failed);
  const ReplyText answer = without_reasoning(reply);
  if (answer.cut_short) return cut_in_reasoning();
  const auto lines = split_lines(answer.text);
  BlockScan scan;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (auto failed = scan.line(i, lines)) return *std::move(failed);
  }
  auto blocks = scan.finish();
  if (std::holds_alternative<EditFailure>(blocks)) return blocks;
  const auto fences = find_fences(scan.outside());
  if (const Fence* open = unclosed(fences, scan.outside())) return cut_in_fence(*open);
  if (!std::get<0>(blocks).empty()) return blocks;
  return failure("no_code", fences.empty() ? "the reply holds no SEARCH/REPLACE block"
                                           : "the reply holds code, but no SEARCH/REPLACE block");
}

}  // namespace ke

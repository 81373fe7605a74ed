#include "operators/llm/patch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "operators/llm/changes.hpp"
#include "operators/llm/locator.hpp"

namespace ke {
namespace {

std::string listed(std::span<const std::size_t> firsts) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(firsts.size(), most); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", firsts[i] + 1);
  }
  return firsts.size() > most ? text + ", ..." : text;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (const Line& line : split_lines(text)) lines.emplace_back(line.text);
  return lines;
}

void drop_blank_ends(std::vector<std::string>& lines) {
  const auto text = [](const std::string& line) { return !is_blank(line); };
  while (!lines.empty() && !text(lines.back())) lines.pop_back();
  lines.erase(lines.begin(), std::ranges::find_if(lines, text));
}

/// Collects the changes requested by blocks.
class Patch {
 public:
  Patch(const EditableSource& source, std::span<const Block> blocks)
      : source_(source), blocks_(blocks), locator_(source.lines) {}

  std::optional<EditFailure> add(std::size_t block) {
    block_ = block;
    const auto search = split_lines(blocks_[block].search);
    if (without_blank_ends(search).empty()) return fill();
    Match match = locator_.locate(search);
    if (match.firsts.empty()) {
      return fails("no_match",
                   "its SEARCH text is not in the source. " + nearest_lines(source_.lines, search));
    }
    if (match.firsts.size() > 1) prefer_regions(match);
    if (match.firsts.size() > 1) return ambiguous(match);
    Change change{match.firsts[0], match.firsts[0] + match.search.size(),
                  new_lines(match, search.size()), block};
    return take(without_context(std::move(change), source_.lines));
  }

  std::optional<EditFailure> overlap() {
    const auto [one, other] = sort_changes(changes_);
    if (one == nullptr) return std::nullopt;
    block_ = std::max(one->block, other->block);
    return fails("overlap", fmt::format("it changes the same place as block {} (line {} of the "
                                        "source); make one block of both",
                                        std::min(one->block, other->block) + 1, other->first + 1));
  }

  std::string result() const { return with_changes(source_, changes_); }

 private:
  EditFailure fails(std::string reason, std::string_view problem) const {
    return failure(std::move(reason),
                   fmt::format("block {} of {}: {}", block_ + 1, blocks_.size(), problem));
  }

  std::optional<EditFailure> fill() {
    if (!without_blank_ends(source_.lines).empty()) {
      return fails("empty_search",
                   "its SEARCH text is empty, but the source is not; name the lines "
                   "to replace");
    }
    return take({0, source_.lines.size(), lines_of(blocks_[block_].replace), block_});
  }

  bool editable(std::size_t first, std::size_t end) const {
    return std::ranges::any_of(source_.regions, [&](auto& r) { return r.holds(first, end); });
  }

  /// Keeps only the matches inside regions, if there are any.
  void prefer_regions(Match& match) const {
    std::vector<std::size_t> inside;
    std::ranges::copy_if(match.firsts, std::back_inserter(inside), [&](std::size_t first) {
      return editable(first, first + match.search.size());
    });
    if (!inside.empty()) match.firsts = std::move(inside);
  }

  EditFailure ambiguous(const Match& match) const {
    return fails("ambiguous_match",
                 fmt::format("its SEARCH text is in the source {}{} times, from lines {}; add "
                             "lines before or after it",
                             match.firsts.size() < LineIndex::most_found ? "" : "at least ",
                             match.firsts.size(), listed(match.firsts)));
  }

  std::vector<std::string> new_lines(const Match& match, std::size_t search_size) const {
    auto lines = lines_of(blocks_[block_].replace);
    if (match.search.size() < search_size) drop_blank_ends(lines);
    if (match.tolerance == MatchTolerance::indentation) {
      const IndentMap indent = locator_.indent_map(match.firsts[0], match.search);
      for (std::string& line : lines) line = indent.apply(line);
    }
    return lines;
  }

  std::optional<EditFailure> take(Change change) {
    if (change.nothing()) return std::nullopt;
    if (!editable(change.first, change.end)) {
      return fails("outside_block",
                   fmt::format("it changes line {} of the source; only lines between "
                               "EVOLVE-BLOCK-START and EVOLVE-BLOCK-END may change",
                               change.first + 1));
    }
    if (std::ranges::any_of(change.lines, is_region_marker)) {
      return fails("outside_block", "its new lines hold an EVOLVE-BLOCK marker");
    }
    changes_.push_back(std::move(change));
    return std::nullopt;
  }

  const EditableSource& source_;
  std::span<const Block> blocks_;
  Locator locator_;
  std::size_t block_ = 0;  ///< the current block
  std::vector<Change> changes_;
};

}  // namespace

Edit<std::string> apply_blocks(const EditableSource& source, std::span<const Block> blocks) {
  Patch patch(source, blocks);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (auto failed = patch.add(i)) return *std::move(failed);
  }
  if (auto failed = patch.overlap()) return *std::move(failed);
  std::string text = patch.result();
  if (text == source.text) {
    return failure("unchanged", "the blocks change nothing: REPLACE is what the source has");
  }
  if (text.size() > longest_source) {
    return failure("too_large",
                   fmt::format("the patched source has {} bytes; at most {} are allowed",
                               text.size(), longest_source));
  }
  return text;
}

Edit<std::string> patch_by_reply(const EditableSource& source, std::string_view reply) {
  auto blocks = find_blocks(reply);
  if (auto* failed = std::get_if<EditFailure>(&blocks)) return std::move(*failed);
  return apply_blocks(source, std::get<0>(blocks));
}

}  // namespace ke

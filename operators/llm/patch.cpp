#include "operators/llm/patch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "operators/llm/locator.hpp"

namespace ke {
namespace {

/// Replaces lines [first, end) of a source.
struct Change {
  std::size_t first = 0;
  std::size_t end = 0;
  std::vector<std::string> lines;
  std::size_t block = 0;  ///< index of its block, from 0

  bool nothing() const { return first == end && lines.empty(); }
};

/// Two changes of the same place, or null. Also sorts the changes.
struct Overlap {
  const Change* one = nullptr;
  const Change* other = nullptr;
};

bool overlap(const Change& a, const Change& b) {
  const bool both_insert = a.first == a.end && b.first == b.end;
  return b.first < a.end || (both_insert && a.first == b.first);
}

/// Removes unchanged lines at both ends of the change; ignores blanks at line ends.
Change without_context(Change change, std::span<const Line> source) {
  const auto same = [&](std::size_t at, const std::string& line) {
    return trim_right(source[at].text) == trim_right(line);
  };
  auto from = change.lines.begin();
  while (change.first < change.end && from != change.lines.end() && same(change.first, *from)) {
    ++change.first;
    ++from;
  }
  change.lines.erase(change.lines.begin(), from);
  while (change.first < change.end && !change.lines.empty() &&
         same(change.end - 1, change.lines.back())) {
    --change.end;
    change.lines.pop_back();
  }
  return change;
}

Overlap sort_changes(std::vector<Change>& changes) {
  const auto place = [](const Change& change) { return std::pair(change.first, change.end); };
  std::ranges::stable_sort(changes, {}, place);
  const auto found = std::ranges::adjacent_find(changes, overlap);
  if (found == changes.end()) return {};
  return {&found[0], &found[1]};
}

/// Applies sorted, disjoint changes to a source. New lines get the line ending of the first line;
/// other lines stay byte for byte.
std::string with_changes(const EditableSource& source, std::span<const Change> changes) {
  const auto& lines = source.lines;
  const bool dos = !lines.empty() && lines[0].whole.ends_with("\r\n");
  const auto start_of = [&](std::size_t line) {
    return line < lines.size()
               ? static_cast<std::size_t>(lines[line].whole.data() - source.text.data())
               : source.text.size();
  };
  std::string text;
  std::size_t at = 0;
  for (const Change& change : changes) {
    text += source.text.substr(at, start_of(change.first) - at);
    if (change.first > 0 && !text.ends_with('\n')) text += dos ? "\r\n" : "\n";
    for (const std::string& line : change.lines) text.append(line) += dos ? "\r\n" : "\n";
    at = start_of(change.end);
  }
  return text.append(source.text.substr(at));
}

/// Line `at`, quoted for a message.
std::string quoted(std::span<const Line> lines, std::size_t at) {
  constexpr std::size_t most = 200;
  if (at >= lines.size()) return "nothing";
  return fmt::format("'{}'", cut(std::string(trim_right(lines[at].text)), most));
}

/// Reports where a range of the parent and the matching range of the child differ.
EditFailure parted(const EditableSource& parent, EditRegion was, const EditableSource& child,
                   EditRegion is) {
  std::size_t i = 0;
  const std::size_t shorter = std::min(was.end - was.first, is.end - is.first);
  while (i < shorter && trim_right(parent.lines[was.first + i].text) ==
                            trim_right(child.lines[is.first + i].text)) {
    ++i;
  }
  return failure(
      "outside_block",
      fmt::format("text outside the EVOLVE-BLOCKs must stay: line {} of the source was\n  {}\nbut "
                  "line {} of the new one is\n  {}",
                  was.first + i + 1, quoted(std::span(parent.lines).first(was.end), was.first + i),
                  is.first + i + 1, quoted(std::span(child.lines).first(is.end), is.first + i)));
}

/// The lines between regions, before the first and after the last.
std::vector<EditRegion> gaps(const EditableSource& source) {
  std::vector<EditRegion> gaps;
  std::size_t at = 0;
  for (const EditRegion& region : source.regions) {
    gaps.push_back({at, region.first});
    at = region.end;
  }
  gaps.push_back({at, source.lines.size()});
  while (gaps.back().end > at && is_blank(source.lines[gaps.back().end - 1].text)) {
    --gaps.back().end;
  }
  return gaps;
}

std::optional<EditFailure> changed_outside(const EditableSource& parent,
                                           const EditableSource& child) {
  const auto were = gaps(parent);
  const auto are = gaps(child);
  for (std::size_t i = 0; i < std::min(were.size(), are.size()); ++i) {
    const auto was = std::span(parent.lines).subspan(were[i].first, were[i].end - were[i].first);
    const auto is = std::span(child.lines).subspan(are[i].first, are[i].end - are[i].first);
    if (!same_lines(was, is)) return parted(parent, were[i], child, are[i]);
  }
  if (were.size() == are.size()) return std::nullopt;
  return failure("outside_block", fmt::format("the source has {} EVOLVE-BLOCKs, the new one has {}",
                                              were.size() - 1, are.size() - 1));
}

/// The parent with the child's regions.
std::string merged(const EditableSource& parent, const EditableSource& child) {
  std::vector<Change> changes;
  for (std::size_t i = 0; i < parent.regions.size(); ++i) {
    Change change{parent.regions[i].first, parent.regions[i].end, {}, i};
    for (std::size_t at = child.regions[i].first; at < child.regions[i].end; ++at) {
      change.lines.emplace_back(child.lines[at].text);
    }
    changes.push_back(without_context(std::move(change), parent.lines));
  }
  return with_changes(parent, changes);
}

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

Edit<std::string> rewrite(const EditableSource& parent, std::string_view source) {
  const auto child = editable_source("new source", source);
  if (!child) return failure("outside_block", child.error().message);
  if (child->marked && !parent.marked) {
    return failure("outside_block", "the new source has EVOLVE-BLOCK markers; the source has none");
  }
  if (parent.marked && !child->marked) {
    return failure("outside_block",
                   "the new source lacks the EVOLVE-BLOCK markers; keep them and "
                   "the text outside");
  }
  if (same_lines(without_blank_ends(parent.lines), without_blank_ends(child->lines))) {
    return failure("unchanged", "the new source is the old one");
  }
  if (!parent.marked) return std::string(source);
  if (auto failed = changed_outside(parent, *child)) return *std::move(failed);
  std::string text = merged(parent, *child);
  if (text.size() > longest_source) {
    return failure("too_large", fmt::format("the source has {} bytes; at most {} are allowed",
                                            text.size(), longest_source));
  }
  return text;
}

Edit<std::string> rewrite_by_reply(const EditableSource& parent, const SourceRule& rule,
                                   std::string_view reply) {
  auto source = find_source(reply, rule, parent.text);
  if (std::holds_alternative<EditFailure>(source)) return source;
  return rewrite(parent, std::get<0>(source));
}

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

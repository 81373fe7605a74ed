#include "operators/llm/rewrite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "operators/llm/changes.hpp"

namespace ke {
namespace {

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

}  // namespace ke

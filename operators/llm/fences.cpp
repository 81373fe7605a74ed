#include "operators/llm/fences.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace ke {
namespace {

constexpr std::size_t deepest = 16;

bool is_markdown(const FenceMark& mark) { return mark.info == "markdown" || mark.info == "md"; }

class FenceScan {
 public:
  void line(std::size_t at, std::string_view text) {
    const auto mark = fence_mark(text);
    if (!mark || close(at, *mark)) return;
    if (open_.empty() || nests(*mark)) open(at, *mark);
  }

  std::vector<Fence> finish(std::size_t lines) {
    for (Fence& fence : fences_) {
      if (!fence.closed) fence.end = lines;
    }
    find_code();
    return std::move(fences_);
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  bool nests(const FenceMark& mark) const {
    const FenceMark& outer = fences_[open_.back()].mark;
    if (open_.size() == deepest) return false;
    return is_markdown(outer) || (mark.sign == outer.sign && !mark.info.empty());
  }

  void open(std::size_t at, const FenceMark& mark) {
    if (!open_.empty()) holds_others_[open_.back()] = true;
    outer_.push_back(open_.empty() ? none : open_.back());
    holds_others_.push_back(false);
    open_.push_back(fences_.size());
    fences_.push_back({mark, at + 1, at + 1});
  }

  /// Closes the innermost fence with exactly this length, else the innermost that it can close.
  bool close(std::size_t at, const FenceMark& mark) {
    std::size_t depth = none;
    for (std::size_t i = open_.size(); i-- > 0;) {
      const FenceMark& opening = fences_[open_[i]].mark;
      if (!mark.closes(opening)) continue;
      if (depth == none || opening.length == mark.length) depth = i;
      if (opening.length == mark.length) break;
    }
    if (depth == none) return false;
    fences_[open_[depth]].end = at;
    fences_[open_[depth]].closed = true;
    open_.resize(depth);
    return true;
  }

  void find_code() {
    std::vector<bool> in_code(fences_.size());
    for (std::size_t i = 0; i < fences_.size(); ++i) {
      const FenceMark& mark = fences_[i].mark;
      const bool wrapper = holds_others_[i] && (mark.info.empty() || is_markdown(mark));
      in_code[i] = outer_[i] != none && (in_code[outer_[i]] || fences_[outer_[i]].code);
      fences_[i].code = fences_[i].closed && !wrapper && !in_code[i];
    }
    std::size_t at = 0;
    std::erase_if(fences_, [&](const Fence& fence) { return in_code[at++] && !fence.closed; });
  }

  std::vector<Fence> fences_;
  std::vector<std::size_t> outer_;  ///< the enclosing fence
  std::vector<bool> holds_others_;
  std::vector<std::size_t> open_;
};

}  // namespace

std::optional<FenceMark> fence_mark(std::string_view line) {
  FenceMark mark;
  mark.indent = indentation(line).size();
  line.remove_prefix(mark.indent);
  if (!line.starts_with("```") && !line.starts_with("~~~")) return std::nullopt;
  mark.sign = line[0];
  mark.length = std::min(line.find_first_not_of(mark.sign), line.size());
  mark.info = trim(line.substr(mark.length));
  // ```like this``` is code within a sentence.
  if (mark.sign == '`' && mark.info.find('`') != mark.info.npos) return std::nullopt;
  return mark;
}

std::vector<Fence> find_fences(std::span<const Line> lines) {
  FenceScan scan;
  for (std::size_t i = 0; i < lines.size(); ++i) scan.line(i, lines[i].text);
  return scan.finish(lines.size());
}

std::string content(const Fence& fence, std::span<const Line> lines) {
  std::string text;
  for (const Line& line : lines.subspan(fence.first, fence.end - fence.first)) {
    const std::size_t indent = std::min(fence.mark.indent, indentation(line.text).size());
    text.append(line.text.substr(indent)) += '\n';
  }
  return text;
}

}  // namespace ke

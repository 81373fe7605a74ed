#include "operators/llm/reply.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "operators/llm/block_scan.hpp"
#include "operators/llm/entry_point.hpp"
#include "operators/llm/fences.hpp"
#include "operators/llm/lines.hpp"
#include "operators/llm/reasoning.hpp"

namespace ke {
namespace {

/// What is wrong with a reply before anything is looked for in it.
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

/// A lone mark at the very end is a stray one.
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

/// The contents of fences, and which of them is the answer.
class SourceChoice {
 public:
  SourceChoice(std::string_view entry_point, std::string_view parent)
      : entry_point_(entry_point),
        parent_lines_(split_lines(parent)),
        by_name_(!defines(parent, entry_point)) {}

  void offer(const Fence& fence, std::string text) {
    if (is_blank(text)) return;
    ++seen_;
    const Rank rank = rank_of(text);
    if (rank == Rank::other || rank < rank_) return;
    rank_ = rank;
    text_ = std::move(text);
    fence_ = &fence;
  }

  int seen() const { return seen_; }
  const Fence* fence() const { return fence_; }
  std::string& text() { return text_; }

 private:
  enum class Rank { other, echo, answer };

  Rank rank_of(std::string_view text) const {
    const bool holds = entry_point_.empty() || defines(text, entry_point_) ||
                       (by_name_ && mentions(text, entry_point_));
    if (!holds) return Rank::other;
    const auto lines = split_lines(text);
    const bool echo = same_lines(without_blank_ends(lines), without_blank_ends(parent_lines_));
    return echo ? Rank::echo : Rank::answer;
  }

  std::string_view entry_point_;
  std::vector<Line> parent_lines_;
  bool by_name_;
  int seen_ = 0;
  Rank rank_ = Rank::other;
  std::string text_;
  const Fence* fence_ = nullptr;
};

EditFailure nothing_chosen(const SourceChoice& choice, std::string_view entry_point) {
  if (choice.seen() == 0) {
    return failure("no_code", "the reply holds no code fence; give the source in one ``` fence");
  }
  return failure("no_entry_point", fmt::format("no code fence of the reply ({} seen) defines '{}'",
                                               choice.seen(), cut(std::string(entry_point), 100)));
}

/// The source without a byte order mark, if it is one that can be compiled.
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

Edit<std::string> find_source(std::string_view reply, std::string_view entry_point,
                              std::string_view parent) {
  if (auto failed = unfit(reply)) return *std::move(failed);
  const ReplyText answer = without_reasoning(reply);
  if (answer.cut_short) return cut_in_reasoning();
  const auto lines = split_lines(answer.text);
  const auto fences = find_fences(lines);
  SourceChoice choice(entry_point, parent);
  for (const Fence& fence : fences) {
    if (fence.code) choice.offer(fence, content(fence, lines));
  }
  const Fence* open = unclosed(fences, lines);
  const bool cut_off = open != nullptr && (!choice.fence() || open->first > choice.fence()->end);
  if (cut_off) return cut_in_fence(*open);
  if (!choice.fence()) return nothing_chosen(choice, entry_point);
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

#pragma once
// Hints in prompts: how a letter carries one, the shipped ones, and the request for an edit.

#include <memory>
#include <vector>

#include "core/hints.hpp"

namespace ke {

/// The hints that every run begins with: the templates hint_first_*.md.
std::vector<Hint> shipped_hints();

/// Appends the hint below a heading of its own to the last message, and its id to the settings.
/// Prompt templates do not change, so letters without a hint are what they always were.
void carry(const Hint& hint, LlmRequest& letter);

/// The hint of a letter to which `carry` added one, without its parent; nothing for other requests.
std::optional<Hint> carried_hint(const LlmRequest& letter);

/// The id of the hint that the request asks to edit; "" for other requests.
std::string edited_hint(const LlmRequest& request);

/// The hint in the answer to a request for an edit. Lines that could be taken for rules are left
/// out: headings, and those that speak of the contract, the judge, or the form of an answer.
/// Refused: model_STATUS (the exchange failed), too_long (above the limit that the request had),
/// has_code (a fence, or a line that ends like code), bad_text (NUL or no UTF-8), empty, unchanged.
HintEdit read_hint_edit(const Exchange& exchange);

/// Asks with the template hint_edit.md for at most `tokens`, and reads with read_hint_edit().
std::shared_ptr<const HintEditor> make_hint_editor(std::int64_t tokens);

}  // namespace ke

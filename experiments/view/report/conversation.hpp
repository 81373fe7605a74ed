#pragma once
// Conversations with language models: prompts, answers and outcome of each candidate.

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "archive/run_rows.hpp"
#include "core/llm_client.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// All exchanges of a slot, in order; the last answer made the candidate.
struct Conversation {
  std::string run_id;
  CandidatePtr candidate;
  std::vector<Exchange> exchanges;  ///< empty = no model was asked
  CandidatePtr parent;              ///< best parent; null = none was ok, see best_parent()
  std::string anchor;               ///< what objectives are over, see the_anchor()

  /// Objective of the candidate over that of its best parent, as screened; 0 if either is missing.
  double gain() const;
};

Result<Conversation> conversation_of(const std::shared_ptr<const RunReader>& reader,
                                     const CandidateView& view);

/// Messages, answers and the outcome, for a terminal.
std::string text_of(const Conversation& conversation);
/// {"exchanges": [..], "outcome": {..}}; exchanges are in the form of cassettes.
Json json_of(const Conversation& conversation);

enum class ConversationFormat { markdown, jsonl };

/// Writes all committed conversations of a run in commit order. Markdown has one section each; JSON
/// lines has one line per exchange: run, step, island, slot, number, operator, model, parents,
/// messages, answer, status, tokens, dollars, outcome (goes_on, for all but the last), reason,
/// verdict, objective, interval, gain.
Result<void> write_conversations(const std::shared_ptr<const RunReader>& reader,
                                 ConversationFormat format, std::ostream& out);

/// Conversations for a page: [{candidate, model, status, input_tokens, output_tokens, dollars,
/// letter, answer}], one per exchange. `candidate` is a position in `rows`; `letter` lists [role,
/// text] of the messages that the exchange before it did not show. Conversations of kernels with
/// the best objectives come first; those beyond 1.5 MB of text are left out.
Result<Json> letter_rows(const std::shared_ptr<const RunReader>& reader, const RunRows& rows);

}  // namespace ke

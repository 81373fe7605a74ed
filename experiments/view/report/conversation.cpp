#include "experiments/view/report/conversation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "archive/recorded_facts.hpp"
#include "core/llm_client.hpp"
#include "experiments/study/summary/made_by.hpp"
#include "experiments/text/json.hpp"
#include "experiments/text/opponent_name.hpp"
#include "experiments/view/report/candidates.hpp"
#include "experiments/view/report/run_json.hpp"
#include "operators/llm/exchange_json.hpp"

namespace ke {
namespace {

// Prints prompts and replies of language models.

std::string titled(const std::string& title, const std::string& text) {
  return fmt::format("=== {}, {} bytes\n{}{}", title, text.size(), text,
                     text.ends_with('\n') || text.empty() ? "" : "\n");
}

/// Number of leading messages of an exchange that the one before it, or its reply, showed: all that
/// it had if this one continues it, else none. A slot may also ask for an edit of a hint.
std::size_t shown_before(const std::vector<Exchange>& exchanges, std::size_t number) {
  if (number == 0) return 0;
  const auto& before = exchanges[number - 1].request.messages;
  const auto& now = exchanges[number].request.messages;
  const bool continues =
      now.size() > before.size() && std::ranges::equal(before, std::span(now).first(before.size()),
                                                       {}, &Message::text, &Message::text);
  return continues ? before.size() + 1 : 0;
}

/// Messages of an exchange that the previous one did not show.
std::string news(const Exchange& exchange, std::size_t shown) {
  std::string text;
  const auto& messages = exchange.request.messages;
  for (std::size_t i = shown; i < messages.size(); ++i) {
    text += titled(messages[i].role, messages[i].text);
  }
  return text;
}

/// Messages and replies, each below a line with its author and length.
std::string exchanges_text(const std::vector<Exchange>& exchanges) {
  if (exchanges.empty()) return "no language model was asked\n";
  std::string text;
  for (std::size_t i = 0; i < exchanges.size(); ++i) {
    const Exchange& exchange = exchanges[i];
    text += news(exchange, shown_before(exchanges, i));
    text += titled(fmt::format("reply ({}, {} tokens in, {} out)", exchange.status,
                               exchange.input_tokens, exchange.output_tokens),
                   exchange.reply);
  }
  return text;
}

std::string parents_text(const Candidate& c) {
  std::vector<std::string> ids;
  for (const Ancestor& ancestor : c.ancestors) ids.push_back(ancestor.id.text());
  return ids.empty() ? "no parent" : fmt::format("of {}", fmt::join(ids, ", "));
}

/// Text such as "ok, 1.234x the anchor [1.200, 1.270], 1.050x its best parent 3.0.0".
std::string result_text(const Conversation& one) {
  const Candidate& c = *one.candidate;
  std::string text = outcome_text(c);
  if (!is_ok_kernel(c)) return text;
  const Evaluation& e = c.evaluation;
  text += fmt::format(", {:.3f}x {} [{:.3f}, {:.3f}]", e.objective, one.anchor, e.interval.low,
                      e.interval.high);
  if (one.gain() <= 0) return text;
  return text + fmt::format(", {:.3f}x its best parent {}", one.gain(), one.parent->id.text());
}

std::string became_text(const Conversation& one) {
  const Candidate& c = *one.candidate;
  std::string text = fmt::format("=== candidate {} by {}, {}\n{}\n", c.id.text(), c.operator_name,
                                 parents_text(c), result_text(one));
  if (!c.evaluation.message.empty()) text += c.evaluation.message + "\n";
  for (const Diagnostic& d : c.evaluation.diagnostics) {
    text += fmt::format("{}:{}:{}: {}: {}\n", d.file, d.line, d.column, d.severity, d.message);
  }
  return text;
}

Json outcome_json(const Conversation& one) {
  const Candidate& c = *one.candidate;
  const Evaluation& e = c.evaluation;
  const bool judged = c.outcome != OutcomeKind::no_child;
  const bool timed = is_ok_kernel(c);
  return {{"outcome", to_string(c.outcome)},
          {"reason", judged ? e.reason : c.no_child_reason},
          {"verdict", judged ? Json(to_string(e.verdict)) : Json(nullptr)},
          {"objective", timed ? Json(e.objective) : Json(nullptr)},
          {"interval", timed ? json_of(e.interval) : Json(nullptr)},
          {"best_parent", one.parent ? Json(one.parent->id.text()) : Json(nullptr)},
          {"gain", one.gain() > 0 ? Json(one.gain()) : Json(nullptr)}};
}

/// The model that answered, else the requested one.
const std::string& model_of(const Exchange& exchange) {
  return exchange.model_returned.empty() ? exchange.request.model : exchange.model_returned;
}

Json line_of(const Conversation& one, std::size_t number) {
  const Candidate& c = *one.candidate;
  const Exchange& exchange = one.exchanges[number];
  const Json said = exchange_json(exchange);
  Json line = {{"run", one.run_id},
               {"step", c.id.step},
               {"island", c.id.island},
               {"slot", c.id.slot},
               {"number", number},
               {"operator", c.operator_name},
               {"model", model_of(exchange)},
               {"parents", parents_json(c)},
               {"messages", said["request"]["messages"]},
               {"answer", exchange.reply},
               {"status", exchange.status},
               {"tokens", said["tokens"]},
               {"dollars", exchange.dollars}};
  if (number + 1 < one.exchanges.size()) {
    line["outcome"] = "goes_on";
  } else {
    line.update(outcome_json(one));
  }
  return line;
}

/// Encloses a text in lines of tildes, longer than any run of tildes in it.
std::string fenced(const std::string& text) {
  std::size_t longest = 2, run = 0;
  for (const char c : text) {
    run = c == '~' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '~');
  return fmt::format("{}\n{}{}{}\n\n", fence, text, text.ends_with('\n') ? "" : "\n", fence);
}

std::string markdown_of(const Conversation& one) {
  const Candidate& c = *one.candidate;
  std::string text = fmt::format("## {} {}, {}\n\n{}\n\n", c.id.text(), c.operator_name,
                                 parents_text(c), result_text(one));
  for (std::size_t number = 0; number < one.exchanges.size(); ++number) {
    const Exchange& exchange = one.exchanges[number];
    const auto& messages = exchange.request.messages;
    for (std::size_t i = shown_before(one.exchanges, number); i < messages.size(); ++i) {
      text += fmt::format("### {}\n\n{}", messages[i].role, fenced(messages[i].text));
    }
    const std::string& model = model_of(exchange);
    text += fmt::format("### answer: {}{}{}, {} tokens in, {} out\n\n{}", exchange.status,
                        model.empty() ? "" : ", ", model, exchange.input_tokens,
                        exchange.output_tokens, fenced(exchange.reply));
  }
  return text;
}

void write_one(const Conversation& one, ConversationFormat format, std::ostream& out) {
  if (format == ConversationFormat::markdown) {
    out << markdown_of(one);
    return;
  }
  for (std::size_t i = 0; i < one.exchanges.size(); ++i) {
    out << json_text(line_of(one, i)) << "\n";
  }
}

// Letters of a page.

constexpr std::size_t most_letter_bytes = 1'500'000;

/// Candidates that a model was asked for, best first; those without an objective last.
std::vector<std::int64_t> asked_candidates(const RunRows& rows) {
  std::set<std::int64_t> asked;
  for (const ExchangeRow& x : rows.exchanges) {
    if (x.candidate >= 0) asked.insert(x.candidate);
  }
  std::vector<std::int64_t> order(asked.begin(), asked.end());
  const auto value = [&](std::int64_t place) {
    const CandidateRow& c = rows.candidates[static_cast<std::size_t>(place)];
    return c.verdict == "ok" && c.outcome == "kernel" ? c.objective : 0;
  };
  std::ranges::stable_sort(order, std::greater(), value);
  return order;
}

Json letter_row(std::int64_t candidate, const Exchange& exchange, std::size_t shown) {
  Json letter = Json::array();
  const auto& messages = exchange.request.messages;
  for (std::size_t i = shown; i < messages.size(); ++i) {
    letter.push_back({messages[i].role, messages[i].text});
  }
  return {{"candidate", candidate},
          {"model", model_of(exchange)},
          {"status", exchange.status},
          {"input_tokens", exchange.input_tokens},
          {"output_tokens", exchange.output_tokens},
          {"dollars", exchange.dollars},
          {"letter", letter},
          {"answer", exchange.reply}};
}

}  // namespace

Result<Json> letter_rows(const std::shared_ptr<const RunReader>& reader, const RunRows& rows) {
  Json list = Json::array();
  std::size_t bytes = 0;
  for (const std::int64_t candidate : asked_candidates(rows)) {
    KE_TRY(const auto view, reader->candidate_at(candidate + 1));
    if (!view) continue;
    KE_TRY(const auto exchanges, recorded_exchanges(reader, view->fact_keys));
    for (std::size_t i = 0; i < exchanges.size(); ++i) {
      const Exchange& exchange = exchanges[i];
      list.push_back(letter_row(candidate, exchange, shown_before(exchanges, i)));
      bytes += news(exchange, 0).size() + exchange.reply.size();
    }
    if (bytes > most_letter_bytes) break;
  }
  return list;
}

double Conversation::gain() const {
  if (!parent || !is_ok_kernel(*candidate) || parent->evaluation.objective <= 0) return 0;
  return candidate->evaluation.objective / parent->evaluation.objective;
}

Result<Conversation> conversation_of(const std::shared_ptr<const RunReader>& reader,
                                     const CandidateView& view) {
  Conversation one{reader->run_id(), view.candidate, {}, nullptr, ""};
  KE_TRY(one.exchanges, recorded_exchanges(reader, view.fact_keys));
  if (one.exchanges.empty()) return one;
  KE_TRY(one.parent, best_parent(*reader, *view.candidate));
  KE_TRY(const auto labels, reader->task_labels());
  const auto anchor = labels.find("anchor");
  one.anchor = the_anchor(anchor == labels.end() ? "" : anchor->second);
  return one;
}

std::string text_of(const Conversation& one) {
  return exchanges_text(one.exchanges) + (one.exchanges.empty() ? "" : became_text(one));
}

Json json_of(const Conversation& one) {
  return {{"exchanges", column(one.exchanges, exchange_json)}, {"outcome", outcome_json(one)}};
}

Result<void> write_conversations(const std::shared_ptr<const RunReader>& reader,
                                 ConversationFormat format, std::ostream& out) {
  if (format == ConversationFormat::markdown) out << fmt::format("# {}\n\n", reader->run_id());
  for (std::int64_t row = 1;; ++row) {
    KE_TRY(const auto view, reader->candidate_at(row));
    if (!view) return {};
    KE_TRY(const Conversation one, conversation_of(reader, *view));
    if (!one.exchanges.empty()) write_one(one, format, out);
  }
}

}  // namespace ke

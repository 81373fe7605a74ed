#include "experiments/view/report/conversation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "archive/recorded_facts.hpp"
#include "experiments/study/summary/best_parent.hpp"
#include "experiments/view/report/candidate_text.hpp"
#include "experiments/view/report/exchange_text.hpp"
#include "experiments/view/report/run_json.hpp"
#include "operators/llm/exchange_json.hpp"

namespace ke {
namespace {

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
  text += fmt::format(", {:.3f}x the anchor [{:.3f}, {:.3f}]", e.objective, e.interval.low,
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
  Json parents = Json::array();
  for (const Ancestor& ancestor : c.ancestors) {
    parents.push_back({{"id", ancestor.id.text()}, {"role", to_string(ancestor.role)}});
  }
  Json line = {{"run", one.run_id},
               {"step", c.id.step},
               {"island", c.id.island},
               {"slot", c.id.slot},
               {"number", number},
               {"operator", c.operator_name},
               {"model", model_of(exchange)},
               {"parents", parents},
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
  std::size_t shown = 0;
  for (const Exchange& exchange : one.exchanges) {
    const auto& messages = exchange.request.messages;
    for (std::size_t i = shown; i < messages.size(); ++i) {
      text += fmt::format("### {}\n\n{}", messages[i].role, fenced(messages[i].text));
    }
    const std::string& model = model_of(exchange);
    text += fmt::format("### answer: {}{}{}, {} tokens in, {} out\n\n{}", exchange.status,
                        model.empty() ? "" : ", ", model, exchange.input_tokens,
                        exchange.output_tokens, fenced(exchange.reply));
    shown = messages.size() + 1;  // the next exchange continues after this answer
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

}  // namespace

double Conversation::gain() const {
  if (!parent || !is_ok_kernel(*candidate) || parent->evaluation.objective <= 0) return 0;
  return candidate->evaluation.objective / parent->evaluation.objective;
}

Result<Conversation> conversation_of(const std::shared_ptr<const RunReader>& reader,
                                     const CandidateView& view) {
  Conversation one{reader->run_id(), view.candidate, {}, nullptr};
  KE_TRY(one.exchanges, recorded_exchanges(reader, view.fact_keys));
  if (one.exchanges.empty()) return one;
  KE_TRY(one.parent, best_parent(*reader, *view.candidate));
  return one;
}

std::string text_of(const Conversation& one) {
  return exchanges_text(one.exchanges) + (one.exchanges.empty() ? "" : became_text(one));
}

Json json_of(const Conversation& one) {
  Json json = json_of(one.exchanges);
  json["outcome"] = outcome_json(one);
  return json;
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

#include "operators/llm/hints.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/bm25.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"
#include "operators/llm/fences.hpp"
#include "operators/llm/prompt_sections.hpp"
#include "operators/llm/prompts.hpp"

namespace ke {
namespace {

constexpr std::string_view hint_heading = "\n## A hint on strategy\n";
constexpr const char* hint_setting = "hint";
constexpr const char* edit_setting = "hint_edit";
constexpr const char* tokens_setting = "hint_tokens";
constexpr std::int64_t bytes_per_word = 6;
constexpr std::int64_t most_answer_tokens = 4000;  // models that reason need more than the hint has

/// Words of rules. A model that edits a hint must not write what letters take from the contract.
constexpr std::string_view rule_words[] = {
    "contract", "judge",       "rule",         "rules",  "format",    "answer", "reply",
    "ignore",   "instruction", "instructions", "system", "tolerance", "test",   "tests"};

bool is_rule(std::string_view line) {
  return line.starts_with('#') || std::ranges::any_of(words_of(line), [](const std::string& word) {
           return holds(rule_words, word);
         });
}

bool is_code(std::string_view line) {
  return fence_mark(line) || line.ends_with(';') || line.ends_with('{') || line.ends_with('}') ||
         line.starts_with("#include") || line.starts_with("<<<<<<<");
}

/// The lines of a hint, one LF behind each, without those of rules.
std::string without_rules(std::string_view text) {
  std::string kept;
  for (const std::string_view whole : split(text, '\n')) {
    const std::string_view line = trim(whole);
    if (!line.empty() && !is_rule(line)) kept.append(line).append("\n");
  }
  return kept;
}

std::string setting_of(const LlmRequest& request, const char* name) {
  const auto found = request.settings.find(name);
  return found == request.settings.end() ? "" : found->second;
}

Hint hint_of(std::string text) {
  std::string id = sha256(text).short_hex();
  return {std::move(id), "", std::move(text)};
}

std::string credit_text(const HintCredit& credit) {
  if (credit.children == 0) return "No kernel was written with this hint yet.";
  std::string text =
      fmt::format("Of {} kernels written with this hint, {} were right and {} were among the best",
                  credit.children, credit.right, credit.elites);
  if (credit.best_gain == 0) return text + ".";
  return text + fmt::format("; the best has {:.2f} times its parent's speed.", credit.best_gain);
}

class TemplateHintEditor final : public HintEditor {
 public:
  explicit TemplateHintEditor(std::int64_t tokens) : tokens_(tokens) {}

  LlmRequest request(const Hint& hint, const HintCredit& credit) const override {
    LlmRequest request;
    request.messages =
        render_prompt("hint_edit", {{"hint", hint.text},
                                    {"credit", credit_text(credit)},
                                    {"words", std::to_string(4 * tokens_ / bytes_per_word)}});
    request.max_output_tokens = most_answer_tokens;
    request.settings["prompt"] = prompt_version("hint_edit");
    request.settings[edit_setting] = hint.id;
    request.settings[tokens_setting] = std::to_string(tokens_);
    return request;
  }

  HintEdit read(const Exchange& exchange) const override { return read_hint_edit(exchange); }

 private:
  std::int64_t tokens_;
};

}  // namespace

std::vector<Hint> shipped_hints() {
  std::vector<Hint> hints;
  for (const PromptTemplate& one : prompt_templates()) {
    if (one.name.starts_with("hint_first_")) hints.push_back(hint_of(without_rules(one.text)));
  }
  return hints;
}

void carry(const Hint& hint, LlmRequest& letter) {
  letter.messages.back().text.append(hint_heading).append(hint.text);
  letter.settings[hint_setting] = hint.id;
}

std::optional<Hint> carried_hint(const LlmRequest& letter) {
  std::string id = setting_of(letter, hint_setting);
  if (id.empty() || letter.messages.empty()) return std::nullopt;
  const std::string& text = letter.messages.back().text;
  const std::size_t at = text.rfind(hint_heading);
  if (at == text.npos) return std::nullopt;
  return Hint{std::move(id), "", text.substr(at + hint_heading.size())};
}

std::string edited_hint(const LlmRequest& request) { return setting_of(request, edit_setting); }

HintEdit read_hint_edit(const Exchange& exchange) {
  if (exchange.status != "ok") return {{}, "model_" + exchange.status};
  const std::string_view reply = trim(exchange.reply);
  const auto most = number_from<std::int64_t>(setting_of(exchange.request, tokens_setting));
  if (estimated_tokens(reply) > most.value_or(0)) return {{}, "too_long"};
  if (!is_text(reply)) return {{}, "bad_text"};
  for (const std::string_view line : split(reply, '\n')) {
    if (is_code(trim(line))) return {{}, "has_code"};
  }
  Hint hint = hint_of(without_rules(reply));
  hint.parent = edited_hint(exchange.request);
  if (hint.text.empty()) return {{}, "empty"};
  if (hint.id == hint.parent) return {{}, "unchanged"};
  return {std::move(hint)};
}

std::shared_ptr<const HintEditor> make_hint_editor(std::int64_t tokens) {
  return std::make_shared<TemplateHintEditor>(tokens);
}

}  // namespace ke

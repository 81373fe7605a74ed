#include "experiments/study/compare/repeated_answers.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <memory>

#include "archive/recorded_facts.hpp"
#include "experiments/study/summary/best_parent.hpp"
#include "experiments/text/table.hpp"

namespace ke {
namespace {

using Gains = std::vector<std::vector<double>>;  // by prompt

/// Prompt of a candidate's first exchange, whichever model answered; nothing if it asked no model.
Result<std::optional<Digest>> prompt_of(const std::shared_ptr<const RunReader>& reader,
                                        const std::vector<Digest>& facts) {
  KE_TRY(const auto exchanges, recorded_exchanges(reader, facts));
  if (exchanges.empty()) return std::optional<Digest>();
  LlmRequest request = exchanges.front().request;
  request.settings.erase("bank");
  return std::optional<Digest>(digest_of(request));
}

double gain_over(const Candidate& child, const Candidate& parent) {
  const double ratio = child.evaluation.objective / parent.evaluation.objective;
  return is_ok_kernel(child) && ratio > 1 ? std::log(ratio) : 0;
}

Result<void> add_step(const std::shared_ptr<const RunReader>& reader, const StepRecord& step,
                      Gains& gains) {
  std::map<Digest, std::vector<double>> by_prompt;
  for (std::size_t i = 0; i < step.candidates.size(); ++i) {
    KE_TRY(const auto prompt, prompt_of(reader, step.fact_keys[i]));
    if (!prompt) continue;
    KE_TRY(const CandidatePtr parent, best_parent(*reader, *step.candidates[i]));
    if (parent) by_prompt[*prompt].push_back(gain_over(*step.candidates[i], *parent));
  }
  for (auto& [prompt, values] : by_prompt) {
    if (values.size() > 1) gains.push_back(std::move(values));
  }
  return {};
}

Result<void> add_run(const std::string& file, Gains& gains) {
  KE_TRY(auto opened, RunReader::open(file));
  const std::shared_ptr<const RunReader> reader = std::move(opened);
  for (std::int64_t index = 0;; ++index) {
    KE_TRY(const auto step, reader->step(index));
    if (!step) return {};
    KE_TRY_VOID(add_step(reader, *step, gains));
  }
}

std::string with_interval(const statistics::Variance& v) {
  return fmt::format("{:.4g} [{:.4g}, {:.4g}]", v.value, v.ci.low, v.ci.high);
}

}  // namespace

Result<std::vector<ArmScatter>> scatter_of_answers(const ComparedRuns& runs) {
  std::map<std::string, Gains> gains;
  for (const ComparedRun& run : runs.runs) KE_TRY_VOID(add_run(run.file, gains[run.arm]));
  std::vector<ArmScatter> arms;
  for (const std::string& arm : runs.arms) {
    const Gains& own = gains[arm];
    if (own.size() > 1) arms.push_back({arm, statistics::variance_components(own)});
  }
  if (arms.empty()) {
    return Error{Failure::usage,
                 "compare: --repeats needs two prompts of an arm that were answered several times; "
                 "'llm.repeats' asks for that"};
  }
  return arms;
}

std::string text_of(const std::vector<ArmScatter>& arms) {
  Table table({"arm", "prompts", "answers", "variance between prompts", "within, the model's",
               "share of the prompts"});
  for (const ArmScatter& one : arms) {
    table.add({one.arm, std::to_string(one.found.groups), std::to_string(one.found.values),
               with_interval(one.found.between), with_interval(one.found.within),
               with_interval(one.found.share)});
  }
  return "Gains of one step, ln(objective over the best parent's), at least 0; 95 % intervals that "
         "count\neffects as normal\n" +
         table.text();
}

}  // namespace ke

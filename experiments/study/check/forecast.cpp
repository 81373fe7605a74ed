#include "experiments/study/check/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "archive/llm_bill.hpp"
#include "core/search/budget.hpp"
#include "experiments/run/run_files.hpp"
#include "operators/llm/client/endpoint.hpp"
#include "operators/llm/providers/registry.hpp"

namespace ke {
namespace {

constexpr double usual_bytes_per_token = 4, fewest_bytes_per_token = 2;
constexpr double unlimited = std::numeric_limits<double>::infinity();

/// A request that an operator sends first.
struct Letter {
  std::size_t bytes = 0;
  std::int64_t max_output_tokens = 0;  ///< 0 = the model's default
};

/// Operators that ask a model, over all islands.
struct Asking {
  double share = 0;  ///< of proposals, by weight
  std::int64_t most_requests = 0;
  std::vector<Letter> letters;
};

std::size_t bytes_of(const LlmRequest& request) {
  std::size_t bytes = 0;
  for (const Message& message : request.messages) bytes += message.text.size();
  return bytes;
}

/// The operator's first letter; parents are the kernel that is shown. Nothing if it tests a kernel
/// before it asks, or finds nothing to ask.
std::optional<Letter> first_letter(const Operator& op, const SearchPlan& plan,
                                   const DevicePlan& device) {
  Context context{device.seeds, device.task_text, {}};
  context.language = device.language.get();
  context.lessons = plan.lessons.get();
  context.contract = device.contract.get();
  context.sheet = device.sheet.get();
  if (!device.interface.kernel.source.empty()) context.interface = &device.interface;
  if (context.shown() == nullptr) return std::nullopt;
  auto shown = std::make_shared<Candidate>();
  shown->kernel = context.shown()->kernel;
  shown->space = context.shown()->space;
  shown->genome_hash = shown->kernel.genome_hash();
  const std::vector<Parent> parents(static_cast<std::size_t>(op.arity()), {shown});
  RandomStream random({0, 0, 0, 0, Purpose::vary});
  const Outcome outcome = op.start(parents, context, random);
  const auto* asked = std::get_if<Request>(&outcome);
  if (asked == nullptr) return std::nullopt;
  return Letter{bytes_of(asked->request), asked->request.max_output_tokens};
}

Asking asking_of(const SearchPlan& plan) {
  Asking all;
  for (const IslandPlan& island : plan.islands) {
    double asking = 0, total = 0;
    for (const NamedOperator& named : island.operators) {
      total += named.weight;
      if (named.weight == 0 || !named.op->asks()) continue;
      asking += named.weight;
      all.most_requests = std::max(all.most_requests, named.op->most_requests());
      const auto letter = first_letter(*named.op, plan, plan.devices[island.device]);
      if (letter) all.letters.push_back(*letter);
    }
    if (total > 0) all.share += asking / total / static_cast<double>(plan.islands.size());
  }
  return all;
}

std::size_t shown_bytes(const SearchPlan& plan) {
  const DevicePlan& device = plan.devices.front();
  const Seed* seed = device.seeds.empty() ? &device.interface : &device.seeds.back();
  return seed->kernel.source.size();
}

double limit_of(std::int64_t limit) { return limit > 0 ? static_cast<double>(limit) : unlimited; }

/// Adds tokens and the dollars of the dearest or cheapest of the models that may be asked.
LlmUse use_of(double requests, double input, double output, const std::vector<LlmEndpoint>& models,
              bool dearest) {
  LlmUse use{requests, requests * input, requests * output, 0};
  for (std::size_t i = 0; i < models.size(); ++i) {
    const double dollars =
        (use.input_tokens * models[i].price.input + use.output_tokens * models[i].price.output) /
        1e6;
    const bool better = dearest ? dollars > use.dollars : dollars < use.dollars;
    if (i == 0 || better) use.dollars = dollars;
  }
  return use;
}

/// Scales down to what a limit leaves.
void limit_to(LlmUse& use, double used, double limit) {
  if (limit <= 0 || used <= limit) return;
  const double part = limit / used;
  use = {use.requests * part, use.input_tokens * part, use.output_tokens * part,
         use.dollars * part};
}

void limit_to(LlmUse& use, const LlmLimits& limits) {
  limit_to(use, use.dollars, limits.dollars);
  limit_to(use, use.input_tokens + use.output_tokens, static_cast<double>(limits.tokens));
}

}  // namespace

LlmUse& LlmUse::operator+=(const LlmUse& other) {
  requests += other.requests;
  input_tokens += other.input_tokens;
  output_tokens += other.output_tokens;
  dollars += other.dollars;
  return *this;
}

LlmForecast& LlmForecast::operator+=(const LlmForecast& other) {
  letter_bytes = std::max(letter_bytes, other.letter_bytes);
  least += other.least;
  expected += other.expected;
  most += other.most;
  priced = priced || other.priced;
  if (other.device_s) device_s = device_s.value_or(0) + *other.device_s;
  return *this;
}

Result<EarlierRuns> earlier_runs(const std::string& file_or_folder) {
  EarlierRuns sum;
  KE_TRY(const auto files, find_run_files({file_or_folder}));
  for (const std::string& file : files) {
    KE_TRY(const auto reader, RunReader::open(file));
    KE_TRY(const RunCounters counters, reader->counters());
    KE_TRY(const RunCosts costs, reader->costs());
    sum.evaluations += counters.evaluations;
    sum.use += {static_cast<double>(costs.exchanges), static_cast<double>(costs.input_tokens),
                static_cast<double>(costs.output_tokens), costs.dollars};
    sum.device_s += static_cast<double>(costs.all.lane_ns) / 1e9;
  }
  if (sum.evaluations > 0) return sum;
  return Error{Failure::usage, fmt::format("{}: no kernel was evaluated", file_or_folder)};
}

std::optional<LlmForecast> forecast(const Experiment& experiment, const Subject& subject,
                                    const std::optional<EarlierRuns>& earlier) {
  if (!experiment.llm || experiment.numeric) return std::nullopt;
  const SearchPlan plan = make_plan(experiment, subject, experiment.seeds.front());
  const Asking asking = asking_of(plan);
  if (asking.share == 0) return std::nullopt;
  ParamLog log;
  Params top(&experiment.document, "", log);
  Params llm = top.section("llm");
  const std::vector<LlmEndpoint> models = asked_models(llm);
  LlmForecast result;
  result.priced = std::ranges::any_of(
      models, [](const auto& model) { return model.price.input + model.price.output > 0; });
  std::int64_t answer_limit = 0;
  for (const Letter& letter : asking.letters) {
    result.letter_bytes = std::max(result.letter_bytes, letter.bytes);
    answer_limit = std::max(answer_limit, letter.max_output_tokens);
  }
  if (answer_limit == 0) {
    for (const auto& model : models) answer_limit = std::max(answer_limit, model.max_output_tokens);
  }
  const auto letter = static_cast<double>(result.letter_bytes);
  const auto longest = static_cast<double>(answer_limit);
  const double evaluations = limit_of(experiment.limits.evaluations);
  const double proposals = limit_of(derived_proposals(experiment.limits));
  const double asks = limit_of(experiment.limits.asks);
  const double edits = plan.hints ? plan.hints->rate() : 0;
  const double requests =
      (1 + edits) * std::min(asking.share * std::min(evaluations, proposals), asks);
  const double input = letter / usual_bytes_per_token;
  const double kernel = static_cast<double>(shown_bytes(plan)) / usual_bytes_per_token;
  result.least = use_of(requests, input, kernel, models, false);
  result.expected = use_of(requests, input, std::max(kernel, usual_answer * longest), models, true);
  result.most =
      use_of(std::min(proposals, asks) * (static_cast<double>(asking.most_requests) + edits),
             letter / fewest_bytes_per_token, longest, models, true);
  if (earlier) {
    const double part =
        std::min(evaluations, proposals) / static_cast<double>(earlier->evaluations);
    const LlmUse& use = earlier->use;
    result.expected = {part * use.requests, part * use.input_tokens, part * use.output_tokens,
                       part * use.dollars};
    result.device_s = part * earlier->device_s;
  }
  for (LlmUse* use : {&result.least, &result.expected, &result.most}) {
    limit_to(*use, experiment.llm_limits);
  }
  return result;
}

}  // namespace ke

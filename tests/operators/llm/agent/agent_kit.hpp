#pragma once
// Drives the operator llm_agent by hand with replies and trials.

#include <gmock/gmock.h>

#include "operators/registry.hpp"
#include "tests/support/options.hpp"

namespace ke::test {

inline constexpr const char* agent_source =
    "extern \"C\" void kernel(const float* in, float* out, std::size_t n) {\n"
    "  for (std::size_t i = 0; i < n; ++i) out[i] = 2 * in[i];\n"
    "}\n";

inline CandidatePtr agent_candidate(std::int64_t step, const std::string& source = agent_source) {
  auto space = parse_kernel_space("k.cpp", source);
  auto made = std::make_shared<Candidate>();
  made->id = {step, 0, 0};
  made->operator_name = "seed_source";
  made->kernel = space->defaults("k.cpp", source);
  made->genome_hash = made->kernel.genome_hash();
  made->evaluation.verdict = Verdict::ok;
  made->evaluation.objective = 1.25;
  made->evaluation.interval = {1.2, 1.3};
  made->evaluation.measures["registers"] = 12;
  return made;
}

/// One conversation. The open outcome tells what the agent waits for.
class AgentTalk {
 public:
  explicit AgentTalk(const std::map<std::string, std::string>& options = {})
      : op_(make_component(operators(), "llm_agent", text_options(options))) {
    parents = {{agent_candidate(3), ParentRole::parent}};
    context.timed_trials = op_->most_timed();
    context.hardware = "Xeon avx2";
  }

  void start() { open = op_->start(parents, context, random_); }
  void reply(const std::string& text, const std::string& status = "ok") {
    const auto* request = std::get_if<Request>(&open);
    ASSERT_NE(request, nullptr) << "the agent does not wait for a reply";
    Exchange exchange;
    exchange.request = request->request;
    exchange.status = status;
    exchange.reply = text;
    said_before_ = exchange.request.messages.size();
    open = op_->resume(request->state, exchange, parents, context, random_);
  }
  void judged(const TrialFacts& facts) {
    const auto* trial = std::get_if<Trial>(&open);
    ASSERT_NE(trial, nullptr) << "the agent does not wait for a trial";
    open = op_->resume(trial->state, facts, parents, context, random_);
  }

  const Request* request() const { return std::get_if<Request>(&open); }
  const Trial* trial() const { return std::get_if<Trial>(&open); }
  const HashedKernel* kernel() const { return std::get_if<HashedKernel>(&open); }
  const NoChild* no_child() const { return std::get_if<NoChild>(&open); }
  /// Text sent to the model since its last reply.
  std::string told() const {
    std::string text;
    if (request() == nullptr) return text;
    const auto& messages = request()->request.messages;
    for (std::size_t i = said_before_; i < messages.size(); ++i) {
      if (messages[i].role != "assistant") text += messages[i].text;
    }
    return text;
  }

  std::vector<Parent> parents;
  Context context{{}, "Doubles each number.", {7, 0, 0}};
  Outcome open = NoChild{"not_started"};

 private:
  std::unique_ptr<Operator> op_;
  RandomStream random_{{1, 0, 7, 0, Purpose::vary}};
  std::size_t said_before_ = 0;
};

/// Facts of a trial: builds get `verdict` when the kind is compile, otherwise ok.
inline TrialFacts trial_facts(const Trial& trial, Verdict verdict, double speedup = 0) {
  const bool of_build = trial.kind == TrialKind::build;
  TrialFacts facts;
  facts.build.verdict = of_build ? verdict : Verdict::ok;
  facts.build.build_hash = trial.kernel.genome_hash;
  facts.build.measures = {{"registers", 32}, {"spill_bytes", 0}};
  if (of_build || facts.build.verdict != Verdict::ok) return facts;
  facts.judged.emplace();
  facts.judged->verdict = verdict;
  facts.judged->build_hash = facts.build.build_hash;
  facts.judged->feedback = R"({"verdict":"x","error_used_of_allowed":0.25})";
  if (speedup > 0) facts.judged->comparison = Comparison{Decision::none, speedup, {}, 0, {}};
  return facts;
}

}  // namespace ke::test

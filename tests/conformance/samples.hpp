#pragma once
// Jobs, facts and steps that use every field, including unusual values.

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/fact_log.hpp"
#include "core/history.hpp"

namespace ke::test {

inline Digest digest(const std::string& text) { return sha256(text); }

inline Kernel sample_kernel(int n) {
  Kernel kernel;
  kernel.name = "tiled.cpp";
  kernel.source = "// source " + std::to_string(n % 3) + "\nextern \"C\" void kernel();\n";
  kernel.knobs = {{"TILE", std::to_string(n)}, {"unroll", "true"}};
  kernel.flags = {"-O3", "", "-ffast-math"};
  kernel.launch_plan = n % 2 == 0 ? "" : "stage main grid=1";
  return kernel;
}

inline Job sample_job(int n, JobKind kind = JobKind::screen) {
  Job job;
  job.key = digest("key " + std::to_string(n));
  job.kind = kind;
  job.kernel = sample_kernel(n);
  if (n % 3 == 1) job.opponent = Opponent{"anchor", std::nullopt};
  if (n % 3 == 2) job.opponent = Opponent{"", sample_kernel(n + 1)};
  job.roles = {"bench"};
  job.needs = {"cpu"};
  return job;
}

inline WorkloadTiming sample_timing(int n) {
  WorkloadTiming timing;
  timing.workload = "rows=" + std::to_string(n);
  timing.role = "bench";
  timing.speedup = 1.5 + n;
  timing.ci = {1.4, std::numeric_limits<double>::infinity()};
  timing.candidate_ns = 1e6 / 3;
  timing.opponent_ns = 5e-324;
  timing.clusters = {{4096, "ABBA", {1, -2, std::numeric_limits<std::int64_t>::max(), 4}, {5, 6}},
                     {0, "", {}, {}}};
  return timing;
}

/// Unusual values: NaN of both signs, -0, infinities, a text with a zero byte and one that is not
/// UTF-8.
inline Fact sample_fact(int n) {
  Fact fact;
  fact.key = sample_job(n).key;
  fact.verdict = static_cast<Verdict>(n % 13);
  fact.reason = n % 13 == 0 ? "" : "reason";
  fact.message = std::string("a\0b\xff", 4);
  if (n % 4 != 0) fact.build_hash = digest("build " + std::to_string(n % 5));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  fact.measures = {{"a", 0.1 * n},       {"nan", nan},  {"minus nan", std::copysign(nan, -1.0)},
                   {"minus zero", -0.0}, {"zero", 0.0}, {"whole", 3.0},
                   {"inf", -1.0 / 0.0}};
  if (n % 2 == 0) {
    fact.comparison = Comparison{static_cast<Decision>(n % 4),
                                 1.25,
                                 {1.2, 1.3},
                                 nan,
                                 {sample_timing(n), sample_timing(n + 1)}};
  }
  fact.diagnostics = {{"kernel.cpp", 3, 7, "error", "expected ';'"}, {"", 0, 0, "", ""}};
  fact.policy_flags = {"below_floor", "below_floor"};
  fact.feedback = n % 3 == 0 ? "" : "{\"n\": " + std::to_string(n % 4) + "}";
  fact.cost = {1000 + n, 2000, 3000};
  return fact;
}

inline Exchange sample_exchange(int n) {
  Exchange exchange;
  exchange.key = digest("exchange " + std::to_string(n));
  exchange.request = {"model",
                      {{"system", "be brief"}, {"user", std::to_string(n)}},
                      512,
                      {{"temperature", "0.5"}}};
  exchange.status = "ok";
  exchange.reply = "";
  exchange.model_returned = "model-1";
  exchange.input_tokens = 10;
  exchange.output_tokens = 20;
  exchange.cached_tokens = 3;
  exchange.reasoning_tokens = 4;
  exchange.dollars = 0.001 * n;
  return exchange;
}

inline RunHeader sample_header() {
  RunHeader header;
  header.config_text = "seed = 7\ntask = softmax\n";
  header.config_id = sha256(header.config_text);
  header.task = "softmax";
  header.task_hash = digest("task");
  header.seed = 7;
  return header;
}

inline std::shared_ptr<Candidate> sample_candidate(LogicalId id) {
  auto candidate = std::make_shared<Candidate>();
  const int n = static_cast<int>(id.step * 10 + id.slot);
  candidate->id = id;
  candidate->operator_name = "knob_step";
  candidate->kernel = sample_kernel(n);
  candidate->genome_hash = candidate->kernel.genome_hash();
  Evaluation& e = candidate->evaluation;
  e.verdict = n % 4 == 3 ? Verdict::wrong_result : Verdict::ok;
  e.reason = n % 4 == 3 ? "mismatch" : "";
  e.message = "message";
  e.build_hash = digest("build " + std::to_string(n));
  e.objective = 1 + 0.5 * n;
  e.interval = {0.9 * e.objective, 1.1 * e.objective};
  e.measures = {{"width", 256.0}, {"odd", -0.0}};
  e.feedback = "{}";
  e.measured = true;
  return candidate;
}

/// Step `index` on island 0 with two candidates, one elite change each, and links to the previous
/// step.
inline StepRecord sample_step(std::int64_t index, const Digest& previous) {
  StepRecord record;
  record.index = index;
  record.step = index;
  for (std::int64_t slot = 0; slot < 2; ++slot) {
    auto candidate = sample_candidate({index, 0, slot});
    ArchiveEvent event;
    event.archive = slot == 0 ? "island" : "passive";
    event.challenger = candidate->id;
    event.cell = static_cast<std::size_t>(index % 3);
    event.status = Addition::new_cell;
    if (index > 0) {
      const LogicalId before{index - 1, 0, slot};
      candidate->ancestors = {{before, ParentRole::parent}, {before, ParentRole::inspiration}};
      event.incumbent = before;
      event.status = Addition::improved;
      event.decision = Decision::better;
      event.duel_key = digest("duel " + std::to_string(index));
      event.bounds = {1.01, 1.2};
      record.migrations.push_back({1, 0, before, index - 1});
    }
    record.events.push_back(event);
    const std::string n = std::to_string(index * 10 + slot);
    record.fact_keys.push_back({digest("b" + n), digest("s" + n)});
    record.candidates.push_back(candidate);
  }
  record.history_hash = record.chained(previous);
  return record;
}

/// The first `count` steps of a run with the sample header.
inline std::vector<StepRecord> sample_steps(std::int64_t count) {
  std::vector<StepRecord> list;
  Digest hash = sample_header().first_hash();
  for (std::int64_t i = 0; i < count; ++i) {
    list.push_back(sample_step(i, hash));
    hash = list.back().history_hash;
  }
  return list;
}

}  // namespace ke::test

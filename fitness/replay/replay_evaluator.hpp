#pragma once
// An evaluator that answers only from recorded facts.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/evaluator.hpp"
#include "core/fact_log.hpp"

namespace ke {

/// A record: its facts, and the jobs that they answered (for messages; read on demand).
struct Recording {
  EvaluatorInfo info;  ///< the recorded evaluator
  std::shared_ptr<const FactLog> facts;
  std::function<Result<std::vector<Job>>()> jobs;
  std::vector<EvaluatorInfo> devices = {};  ///< devices of a run with several, by Job::device
};

/// Answers each job with the recorded fact of its key. Refuses a job without one
/// (Failure::replay_miss), naming the nearest recorded job and the differences.
std::unique_ptr<Evaluator> make_replay_evaluator(Recording recording);

/// One line: the requested job, and its differences from the nearest of `recorded`.
std::string describe_miss(const Job& asked, std::span<const Job> recorded);

}  // namespace ke

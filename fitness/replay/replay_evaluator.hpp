#pragma once
// Evaluator that answers from recorded facts alone.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/evaluator.hpp"
#include "core/fact_log.hpp"

namespace ke {

/// What a record holds: its facts, and the jobs that they answered (for messages; read when one is
/// needed).
struct Recording {
  EvaluatorInfo info;  ///< of the evaluator that was recorded
  std::shared_ptr<const FactLog> facts;
  std::function<Result<std::vector<Job>>()> jobs;
  std::vector<EvaluatorInfo> devices = {};  ///< of a run with several, by Job::device
};

/// Gives each job the recorded fact of its key. A job without one is refused (Failure::replay_miss)
/// with the nearest recorded job and what differs from it.
std::unique_ptr<Evaluator> make_replay_evaluator(Recording recording);

/// One line: what was asked for, and what differs from the nearest of `recorded`.
std::string describe_miss(const Job& asked, std::span<const Job> recorded);

}  // namespace ke

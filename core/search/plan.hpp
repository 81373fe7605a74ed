#pragma once
// What a search is told before it starts. Everything here is part of the configuration.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/archive.hpp"
#include "core/evaluator.hpp"
#include "core/history.hpp"
#include "core/operator.hpp"
#include "core/strategy.hpp"
#include "core/topology.hpp"

namespace ke {

/// Limits in each currency; 0 = no limit.
struct Limits {
  std::int64_t proposals = 0;
  std::int64_t evaluations = 0;
};

struct MigrationPlan {
  std::int64_t every = 0;  ///< rounds; 0 = never
  std::int64_t migrants = 1;
  bool best = true;  ///< best elites; otherwise drawn uniformly
};

struct NamedOperator {
  std::string name;
  double weight = 1;
  std::unique_ptr<const Operator> op;
};

/// One island: its own policy, archive and operators.
struct IslandPlan {
  std::unique_ptr<Strategy> strategy;
  std::unique_ptr<Archive> archive;
  std::vector<NamedOperator> operators;
  std::int64_t lag = 0;   ///< a step sees the archive as of `lag` steps ago
  std::int64_t rate = 1;  ///< steps a round
};

struct VerifyPlan {
  std::int64_t cells = 5;  ///< best elites of the merged archive that are measured again; 0 = none
  std::int64_t naive_flag_sets = 12;  ///< flag combinations tried for naive_best_flags
};

struct SearchPlan {
  RunHeader header;
  std::string task_text;
  std::vector<Seed> seeds;  ///< the first one is the anchor
  Seed naive;               ///< for baselines; empty source = none
  Limits limits;
  double target = 0;            ///< stop at this objective; 0 = never
  std::int64_t stagnation = 0;  ///< stop after this many proposals without a new elite; 0 = never
  std::int64_t batch = 1;
  MigrationPlan migration;
  std::unique_ptr<Topology> topology;
  VerifyPlan verify;
  std::vector<IslandPlan> islands;
  std::unique_ptr<Archive> passive;
};

}  // namespace ke

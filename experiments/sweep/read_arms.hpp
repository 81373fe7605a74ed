#pragma once
// The experiments of a sweep's arms. Private to experiments/sweep.

#include <string>
#include <vector>

#include "experiments/sweep/sweep.hpp"

namespace ke {

/// Everything of one reading, so that all errors come at once.
struct Reading {
  Sweep sweep;
  std::string beside;
  std::vector<std::string> errors;
  Failure failure = Failure::config;

  /// Each line once: an error of the base is one of every arm.
  void add(const Error& error);
};

/// Reads the experiment of every arm and task into `reading.sweep`, and the seeds of the first one.
/// `tasks` is empty when those of the base count; `place` is where they stand.
void read_arms(const std::vector<ArmSpec>& specs, const Node& base,
               const std::vector<std::string>& tasks, const Place& place, Reading& reading);

}  // namespace ke

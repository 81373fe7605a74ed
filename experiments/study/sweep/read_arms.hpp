#pragma once
// Reads the experiments of a sweep's arms. Private to experiments/study/sweep.

#include <string>
#include <vector>

#include "experiments/study/sweep/sweep.hpp"

namespace ke {

/// State of one reading, which collects all errors.
struct Reading {
  Sweep sweep;
  std::string beside;
  std::vector<std::string> errors;
  Failure failure = Failure::config;

  /// Adds each line once: an error of the base occurs in every arm.
  void add(const Error& error);
};

/// Reads the experiment of every arm and task into `reading.sweep`, and the seeds of the first one.
/// An empty `tasks` means those of the base; `place` is their position.
void read_arms(const std::vector<ArmSpec>& specs, const Node& base,
               const std::vector<std::string>& tasks, const Place& place, Reading& reading);

}  // namespace ke

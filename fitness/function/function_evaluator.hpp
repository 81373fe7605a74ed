#pragma once
// Evaluator of closed-form functions over knobs: exact, fast, for conformance and tests.

#include <memory>
#include <string>

#include "core/evaluator.hpp"
#include "core/knob_space.hpp"
#include "core/operator.hpp"
#include "core/params.hpp"

namespace ke {

/// Options of a function evaluator.
struct FunctionOptions {
  std::string function = "sphere";  ///< sphere | rastrigin
  std::int64_t dimensions = 6;
  std::int64_t levels = 33;   ///< values of each knob, spread over [-5.12, 5.12]
  std::int64_t lanes = 1;     ///< worker threads
  double failures = 0;        ///< share of genomes that answer wrong_result
  bool noisy = false;         ///< ask for duels; they are answered from the exact values
  std::int64_t delay_us = 0;  ///< up to this long a job takes, by its key

  static FunctionOptions read(Params& params);
};

/// The objective is 100 / (1 + f(x) / n) in (0, 100], larger is better; measures `m0` and `m1` are
/// the sums of the two halves of x, scaled to [-1, 1] [Fontaine2020]. Builds never fail and the
/// build hash is the genome hash. Jobs run as make_pure_evaluator says of `lanes`.
std::unique_ptr<Evaluator> make_function_evaluator(const FunctionOptions& options);

/// A kernel in all but name: a source that declares one knob a dimension, at its corner.
Seed function_seed(const FunctionOptions& options);

}  // namespace ke

#pragma once
// Evaluates closed-form functions over knobs: exact and fast, for conformance and other tests.

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
  bool noisy = false;         ///< request duels; answers them from the exact values
  std::int64_t delay_us = 0;  ///< maximum time of a job; the actual time depends on its key

  static FunctionOptions read(Params& params);
};

/// The objective is 100 / (1 + f(x) / n) in (0, 100], larger is better; measures `m0` and `m1` are
/// the sums of the two halves of x, scaled to [-1, 1] [Fontaine2020]. Builds never fail, and the
/// build hash is the genome hash. make_pure_evaluator describes the effect of `lanes`.
std::unique_ptr<Evaluator> make_function_evaluator(const FunctionOptions& options);

/// A pseudo-kernel whose source declares one knob per dimension, at its corner.
Seed function_seed(const FunctionOptions& options);

}  // namespace ke

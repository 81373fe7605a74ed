#pragma once
// A landscape as a search problem: its space, objectives and descriptors.

#include <memory>
#include <string>
#include <vector>

#include "core/evaluator.hpp"
#include "core/operator.hpp"
#include "fitness/landscape/landscape.hpp"

namespace ke {

/// A measure of a configuration.
struct LandscapeDescriptor {
  std::string name;
  std::string of;  ///< an expression over parameters, or the name of a recorded measure
};

struct LandscapeOptions {
  /// The point whose objective is 1, since objective = reference time / time.
  enum class Reference { optimum, median };
  /// none: the recorded summary of each point. sample: a mean of random raw repeats, new for every
  /// measurement and run.
  enum class Noise { none, sample };

  Reference reference = Reference::optimum;
  Noise noise = Noise::none;
  std::int64_t draws = 1;  ///< raw repeats of one measurement; duels take eight times as many
  std::vector<LandscapeDescriptor> descriptors;
};

/// Immutable; all runs on it share it. Measures: `first_half` and `second_half`, the mean relative
/// position in [0, 1] of the first and second half of the varying parameters, then the descriptors.
class LandscapeProblem {
 public:
  /// Errors: a descriptor that uses a name unknown to this landscape.
  static Result<std::shared_ptr<const LandscapeProblem>> make(
      std::shared_ptr<const Landscape> landscape, LandscapeOptions options);

  const Landscape& landscape() const { return *landscape_; }
  const LandscapeOptions& options() const { return options_; }
  /// A pseudo-kernel whose source declares one knob per parameter, at the recorded point nearest to
  /// the middle of every parameter's list.
  const Seed& seed() const { return seed_; }
  /// Hash over the landscape's content and all options that affect an answer.
  Digest content_hash() const;

  /// Reference time over recorded time; 0 for a failed point.
  double objective(std::size_t point) const;
  double reference_time() const { return reference_; }
  const std::vector<std::string>& measures() const { return names_; }
  double measure(std::size_t point, std::size_t measure) const {
    return measured_[point * names_.size() + measure];
  }
  /// A second identity, in place of the binary's hash.
  const Digest& build_hash(std::size_t point) const { return builds_[point]; }

 private:
  LandscapeProblem() = default;
  void make_seed();
  Result<void> describe();
  void find_reference();

  std::shared_ptr<const Landscape> landscape_;
  LandscapeOptions options_;
  Seed seed_;
  double reference_ = 0;
  std::vector<std::string> names_;
  std::vector<double> measured_;
  std::vector<Digest> builds_;
};

/// Answers from the landscape. A configuration that was not recorded is `rejected` at its build,
/// for free; one that failed, even in compilation, fails at its screen, so that it costs an
/// evaluation like the original attempt. `run_seed` determines the draws.
std::unique_ptr<Evaluator> make_landscape_evaluator(std::shared_ptr<const LandscapeProblem> problem,
                                                    std::int64_t run_seed, std::int64_t lanes);

}  // namespace ke

#pragma once
// The strategy (ask/tell) interface: which operator works on which parents next.

#include <span>
#include <string>
#include <vector>

#include "core/archive.hpp"
#include "core/candidate.hpp"
#include "core/random_stream.hpp"

namespace ke {

/// An operator as the strategy sees it.
struct OperatorChoice {
  std::string name;
  int arity = 0;
  double weight = 1;
};

/// What a strategy may look at when asked: its island as of its step t - lag.
struct IslandView {
  std::int64_t step = 0;
  std::size_t seeds = 0;  ///< number of seed kernels of the task
  const Archive& archive;
  std::span<const OperatorChoice> operators;
};

/// One slot of a step: the operator's name and its parents.
struct Proposal {
  std::string operator_name;
  std::vector<Parent> parents;
};

/// A committed candidate with what the archive said of it.
struct Told {
  CandidatePtr candidate;
  AddResult addition;
};

/// One island's policy. Deterministic: all randomness comes from the stream given.
class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual Proposal ask(const IslandView& view, RandomStream& random) = 0;
  /// Called once for every committed candidate of the island, in commit order, migrants included.
  virtual void tell(const Told& told) = 0;
};

}  // namespace ke

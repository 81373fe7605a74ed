#pragma once
// The strategy (ask/tell) interface: which operator works on which parents next.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/archive.hpp"
#include "core/candidate.hpp"
#include "core/random_stream.hpp"
#include "core/result.hpp"

namespace ke {

/// An operator as the strategy sees it.
struct OperatorChoice {
  std::string name;
  int arity = 0;
  double weight = 1;
  bool asks = false;  ///< whether it sends requests to a language model
  bool idle = false;  ///< nothing to do now, whatever its parents: not drawn
};

/// Which operators would have something to do with a parent, as of one ask.
class Abilities {
 public:
  virtual ~Abilities() = default;
  virtual bool suits(const OperatorChoice& choice, const Candidate& first) const = 0;
};

struct Told;

/// Draws among operators; may learn which of them pay. Deterministic like a strategy.
class OperatorSelection {
 public:
  virtual ~OperatorSelection() = default;
  /// An operator among those that are not idle, whose arity `available` parents can serve and whose
  /// weight is above 0; null when none remains. Points into `operators`.
  virtual const OperatorChoice* draw(std::span<const OperatorChoice> operators,
                                     std::size_t available, RandomStream& random) = 0;
  /// Called like Strategy::tell, but not for repeats, as nothing was drawn for them.
  virtual void tell(const Told& told) = 0;
};

/// What a strategy may look at when asked: its island as of its step t - lag.
struct IslandView {
  std::int64_t step = 0;
  std::size_t seeds = 0;  ///< number of seed kernels of the task
  const Archive& archive;
  std::span<const OperatorChoice> operators;
  OperatorSelection* selection = nullptr;  ///< null = by weight
  const Abilities* abilities = nullptr;    ///< null = every operator suits every parent

  bool suits(const OperatorChoice& choice, const Candidate& first) const {
    return choice.arity == 0 || abilities == nullptr || abilities->suits(choice, first);
  }
};

/// One slot of a step: the operator's name and its parents, as many as its arity. An operator of
/// arity 0 may be given one that failed: what it shall repair.
struct Proposal {
  std::string operator_name;
  std::vector<Parent> parents;
  /// A kernel that the strategy has made itself; no operator runs, the name is for the record.
  std::optional<Kernel> kernel = std::nullopt;
};

/// What the exchanges of a candidate took, and the model drawn for them.
struct ModelUse {
  std::string model;  ///< "" = none was drawn
  std::int64_t tokens = 0;
  double dollars = 0;
  std::int64_t answers = 0;  ///< exchanges
};

/// A committed candidate with what the archive said of it.
struct Told {
  CandidatePtr candidate;
  AddResult addition;
  ModelUse use = {};
  bool repeat = false;  ///< answers the prompt of an earlier slot once more
};

/// One island's policy. Deterministic: all randomness comes from the stream given.
class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual Proposal ask(const IslandView& view, RandomStream& random) = 0;
  /// Called once for every committed candidate of the island, in commit order, migrants included.
  virtual void tell(const Told& told) = 0;
  /// Why the strategy cannot go on (e.g. its program died); ends the run with this error.
  virtual std::optional<Error> failure() const { return std::nullopt; }
};

}  // namespace ke

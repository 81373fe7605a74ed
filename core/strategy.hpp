#pragma once
// The strategy (ask/tell) interface: chooses the next operator and its parents.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/archive.hpp"
#include "core/candidate.hpp"
#include "core/random_stream.hpp"
#include "core/result.hpp"

namespace ke {

/// An operator's properties for the strategy.
struct OperatorChoice {
  std::string name;
  int arity = 0;
  double weight = 1;
  bool asks = false;  ///< whether it sends requests to a language model
  bool idle = false;  ///< no work now for any parents: not drawn
};

/// Tells which operators have work with a given parent, at the time of one ask.
class Abilities {
 public:
  virtual ~Abilities() = default;
  virtual bool suits(const OperatorChoice& choice, const Candidate& first) const = 0;
};

struct Commit;

/// Draws operators; may learn from their results. Deterministic like a strategy.
class OperatorSelection {
 public:
  virtual ~OperatorSelection() = default;
  /// Draws an operator that is not idle, has arity at most `available` and weight above 0; null
  /// when none remains. Points into `operators`.
  virtual const OperatorChoice* draw(std::span<const OperatorChoice> operators,
                                     std::size_t available, RandomStream& random) = 0;
  /// Called like Strategy::tell, except for repeats, for which nothing was drawn.
  virtual void tell(const Commit& told) = 0;
};

/// The strategy's inputs when asked: its island at step t - lag.
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

/// One slot of a step: the operator's name and as many parents as its arity. An operator of arity 0
/// may get one failed candidate to repair.
struct Proposal {
  std::string operator_name;
  std::vector<Parent> parents;
  /// A kernel made by the strategy itself; no operator runs, the name is only recorded.
  std::optional<Kernel> kernel = std::nullopt;
};

/// Cost of a candidate's exchanges, and the model and hint drawn for them.
struct ModelUse {
  std::string model;  ///< "" = no model was drawn
  std::int64_t tokens = 0;
  double dollars = 0;
  std::int64_t answers = 0;  ///< number of exchanges
  std::string hint = {};     ///< id; "" = no hint was drawn
};

/// A committed candidate with the archive's answer.
struct Commit {
  CandidatePtr candidate;
  OfferResult addition;
  ModelUse use = {};
  bool repeat = false;  ///< repeats the prompt of an earlier slot
};

/// One island's policy. Deterministic: all randomness comes from the given stream.
class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual Proposal ask(const IslandView& view, RandomStream& random) = 0;
  /// Called once for every committed candidate of the island, in commit order, migrants included.
  virtual void tell(const Commit& told) = 0;
  /// Why the strategy cannot continue (e.g. its program exited); ends the run with this error.
  virtual std::optional<Error> failure() const { return std::nullopt; }
};

}  // namespace ke

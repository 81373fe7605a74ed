#pragma once
// The operator (variation) interface.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/archive.hpp"
#include "core/candidate.hpp"
#include "core/device_sheet.hpp"
#include "core/knob_space.hpp"
#include "core/language.hpp"
#include "core/lessons.hpp"
#include "core/llm_client.hpp"
#include "core/random_stream.hpp"
#include "core/task_contract.hpp"

namespace ke {

/// No kernel came of it; the candidate is a row with this reason, never a silent drop.
struct NoChild {
  std::string reason;        ///< short code, e.g. nothing_to_vary
  std::string message = {};  ///< what exactly, for people and for operators that repair
};

/// A call that may take days. `state` is all the operator needs to go on, also in another process.
struct Request {
  std::string state;
  LlmRequest request;
};

/// A kernel with its first identity, which operators need and the search after them.
struct HashedKernel {
  HashedKernel(Kernel made) : kernel(std::move(made)), genome_hash(kernel.genome_hash()) {}
  /// `hash` is the kernel's own.
  HashedKernel(Kernel made, const Digest& hash) : kernel(std::move(made)), genome_hash(hash) {}
  Kernel kernel;
  Digest genome_hash;
};

/// Tests that an operator may run on a draft before it submits its kernel.
enum class TrialKind {
  build,    ///< compiled, and read: diagnostics, measures of the binary
  check,    ///< built, then judged on the test shapes; nothing is timed
  time,     ///< built, then screened as a candidate is: spends an evaluation of the budget
  profile,  ///< built, then under the device's sanitizers and profiler, where it has them
};

/// A kernel that the operator wants to know more of. `state` is as in Request.
struct Trial {
  std::string state;
  HashedKernel kernel;
  TrialKind kind = TrialKind::build;
};

/// The facts of a trial.
struct TrialFacts {
  Fact build;
  std::optional<Fact> judged;  ///< what a check, time or profile came to; none if it did not build
};

using Outcome = std::variant<HashedKernel, NoChild, Request, Trial>;

/// A kernel source that the task ships, with what it declares.
struct Seed {
  Kernel kernel;  ///< at its declared defaults
  std::shared_ptr<const KernelSpace> space;
};

/// Genomes by their hash.
class GenomeSet {
 public:
  virtual ~GenomeSet() = default;
  virtual bool contains(const Digest& genome) const = 0;
};

/// What every operator may look at besides its parents.
struct Context {
  std::span<const Seed> seeds;  ///< kernels of the task that the search starts from
  std::string_view task_text;   ///< task description and reference, for prompts
  LogicalId id;                 ///< the slot asked for
  /// Genomes that the run has proposed so far, in flight or judged; null = unknown. Only `start`
  /// is told: what has been proposed when an exchange arrives depends on the machine.
  const GenomeSet* seen = nullptr;
  /// Judged candidates of the island in the order of their commits, for operators that learn.
  /// Only operators with `learns()` are told. `resume` sees those that `start` saw.
  std::span<const CandidatePtr> judged = {};
  std::string_view hardware = {};          ///< the device class that measures
  const Language* language = nullptr;      ///< of the device's kernels; null = that of the seeds
  const Lessons* lessons = nullptr;        ///< of earlier runs; null = none. Only `start` is told
  const TaskContract* contract = nullptr;  ///< null = what is optimised is no task
  const DeviceSheet* sheet = nullptr;      ///< of the device that measures; null = unknown
  /// Shown to models where a search starts from no seed; null = the last seed is.
  const Seed* interface = nullptr;
  /// Elites of the island by cell when `start` was called, for operators with `asks()`.
  std::span<const Elite> elites = {};
  std::int64_t timed_trials = 0;  ///< trials of kind `time` that the budget admits for this slot

  /// A working kernel for its language, name and parameters; null when the task has none.
  const Seed* shown() const {
    return interface != nullptr || seeds.empty() ? interface : &seeds.back();
  }

  /// The language that kernels are written in.
  const Language& kernel_language() const {
    if (language != nullptr) return *language;
    return language_of_kernels(shown() == nullptr ? "cpp" : shown()->kernel.language);
  }
  /// Whether evaluating a kernel of this genome would tell something new.
  bool is_new(const Digest& genome) const { return seen == nullptr || !seen->contains(genome); }
};

/// Makes one child from parents. Pure: equal arguments give equal outcomes. Never waits.
class Operator {
 public:
  virtual ~Operator() = default;
  /// Parents it needs; 0 for operators that start from the task alone.
  virtual int arity() const = 0;
  /// Whether it looks at `Context::judged`.
  virtual bool learns() const { return false; }
  /// Whether all that it makes are points of the spaces that seeds declare.
  virtual bool stays_in_spaces() const { return false; }
  /// Whether it sends requests to a language model.
  virtual bool asks() const { return false; }
  /// False when `start` would surely find nothing to do: such an operator is not drawn. `first` is
  /// the parent that it would get first; null for operators without parents. `context` is that of
  /// `start`. Must be cheap beside an evaluation.
  virtual bool can_start(const Context& /*context*/, const Candidate* /*first*/) const {
    return true;
  }
  /// Requests that it sends for one child at most.
  virtual std::int64_t most_requests() const { return 8; }
  /// Trials of kind `time` for one child at most; the evaluation of the child comes on top.
  virtual std::int64_t most_timed() const { return 0; }
  /// Parents that it picks itself from `Context::judged` when the strategy gives it none.
  virtual std::vector<Parent> own_parents(const Context& /*context*/) const { return {}; }
  virtual Outcome start(std::span<const Parent> parents, const Context& context,
                        RandomStream& random) const = 0;
  /// Continues after the exchange that `start` or an earlier `resume` asked for.
  virtual Outcome resume(std::string_view state, const Exchange& exchange,
                         std::span<const Parent> parents, const Context& context,
                         RandomStream& random) const;
  /// Continues after the trial that an earlier call asked for.
  virtual Outcome resume(std::string_view state, const TrialFacts& facts,
                         std::span<const Parent> parents, const Context& context,
                         RandomStream& random) const;
};

}  // namespace ke

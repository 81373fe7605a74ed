#pragma once
// One or two fresh worker processes over shared memory, and the judged round: fill, run, compare.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/result.hpp"
#include "fitness/host/arena.hpp"
#include "fitness/host/bench.hpp"
#include "fitness/host/built.hpp"
#include "fitness/host/python_baseline.hpp"
#include "fitness/host/worker.hpp"
#include "fitness/judging/finding.hpp"

namespace ke {

/// A candidate: the bytes of a shared object, or of an OpenCL program.
struct Library {
  std::string bytes;
  bool trusted = false;   ///< a baseline of ours that loads a system library: never locked in
  bool prepares = false;  ///< has a function `prepare`
  LaunchPlansPtr launches = nullptr;  ///< the bytes are an OpenCL program
  std::string python = {};  ///< language of a Python baseline, whose source the bytes hold
};

/// A content placed in a seat.
struct Placed {
  Seat seat;
  FreshContent content;
};

/// The result of one judged round. `span_ns` is raw: the empty round is not subtracted.
struct Sample : Round {
  std::optional<Finding> finding;
};

/// How a round is judged.
struct RoundRules {
  std::int64_t limit_ns = 2'000'000'000;
  bool inspect = true;          ///< check registers and threads even when outputs are right
  bool measure_margin = false;  ///< record the largest share of the tolerance in use
  bool spots = false;           ///< compare secretly chosen parts, not every byte
  bool cold = false;            ///< no cache holds any tensor when the round begins
  /// Above 0: the worker is stopped after this time, to see that it takes one order after the
  /// other.
  std::int64_t interrupt_ns = 0;
};

class Session {
 public:
  /// Starts a worker for each library and loads it. A candidate that does not load is a finding of
  /// its arm. Errors: the machine fails.
  static Result<Session> open(const Bench& bench, const std::vector<SlotRequest>& requests,
                              const std::vector<Library>& libraries);

  const std::optional<Finding>& load_finding(int arm) const { return at(arm).loaded; }
  /// Time limit of an arm's first call, if later calls may take `usual_ns`: a Python baseline
  /// compiles in its first call.
  std::int64_t first_call_ns(int arm, std::int64_t usual_ns) const;
  /// Whether the arm is a baseline of ours.
  bool trusted(int arm) const { return at(arm).trusted; }
  int slots(int group) const { return arena_->slots(group); }
  /// Number of address sets: how often each worker maps all memory.
  std::uint64_t sets() const { return arena_->plan().sets; }

  /// Writes the inputs of all seats. Contents share the inputs that never change; arms whose last
  /// preparation saw other ones prepare first, before any other inputs of the coming calls are in
  /// memory. A failure there becomes the finding of the arm's next round.
  void place(std::span<const Placed> placed);
  /// Fills the arm's outputs with bytes of any kind, runs all calls as one round, and compares
  /// every output. Both arms find the same kinds there until the next place().
  Sample run(int arm, std::span<const Placed> placed, const Workload& workload,
             const RoundRules& rules);
  /// Time of a round without calls.
  std::int64_t empty_round(int arm);
  /// The arm's output bytes of the last round, to compare repetitions.
  std::vector<std::byte> written(int arm, const Placed& placed, const Shapes& shapes) const;
  /// Largest error used / allowed over rounds with measure_margin.
  double margin() const { return margin_; }
  /// Whether some inspection of the arm read no registers or threads, because the system forbids
  /// it.
  bool unchecked(int arm) const { return at(arm).unchecked; }
  /// Shortest preparation of an arm for a group's shape, in ns; nullopt without a preparation.
  std::optional<std::int64_t> preparation_ns(int arm, int group) const;
  std::int64_t calls(int arm) const { return at(arm).calls; }
  /// ns of all rounds of an arm, including preparations.
  std::int64_t spent_ns(int arm) const { return at(arm).spent_ns; }

 private:
  struct Arm {
    std::unique_ptr<TemporaryFile> library;
    std::unique_ptr<PythonBaseline> python;  ///< replaces `library`
    LaunchPlansPtr launches;
    Worker worker;
    std::optional<Finding> loaded;
    std::shared_ptr<const Unchanging> prepared;  ///< inputs of the last preparation
    std::optional<Finding> preparation;          ///< how the last preparation failed
    std::map<int, std::int64_t> preparation_ns;  ///< by group
    bool prepares = false;
    std::int64_t calls = 0;
    std::int64_t spent_ns = 0;
    bool trusted = false;
    bool unchecked = false;
  };
  /// Orders and outputs at the moment when a round was interrupted.
  struct Watched {
    std::vector<std::uint64_t> sums;  ///< checksums of the outputs before the round
    std::size_t taken = 0;            ///< orders that the worker had taken
    bool unordered =
        false;  ///< an output was late for the orders taken, or written before its order
  };
  using Slot = std::tuple<int, int, int>;  ///< arm, group, slot

  Session() = default;
  Arm& at(int arm) { return arms_[static_cast<std::size_t>(arm)]; }
  const Arm& at(int arm) const { return arms_[static_cast<std::size_t>(arm)]; }
  static Result<Arm> start(const Bench& bench, const std::vector<SlotRequest>& requests,
                           const Library& library, const Arena& arena, int number);
  static std::optional<Finding> finding_of_arm(const Arm& arm, const Round& round, bool loading);
  static Inspection inspect(Arm& arm);
  void prepare(Arm& arm, const Placed& first);
  void fill(int arm, std::span<const Placed> placed);
  const FreshContent* other_than(const Placed& one, std::span<const Placed> placed);
  std::uint64_t sum_of(int arm, const Placed& one) const;
  void watch(int arm, std::span<const Placed> placed, Watched& watched);
  std::optional<Finding> judge_stop(int arm, std::span<const Placed> placed,
                                    const Workload& workload, const RoundRules& rules);
  std::optional<Finding> judge_outputs(int arm, std::span<const Placed> placed,
                                       const Workload& workload, const RoundRules& rules);

  const Bench* bench_ = nullptr;
  std::unique_ptr<Arena> arena_;
  std::vector<Arm> arms_;
  double margin_ = 0;
  std::uint64_t fill_seed_ = 0;
  std::map<Slot, std::shared_ptr<const Content>> called_;  ///< the last content in each slot
  FreshContent before_;  ///< the content placed before the last one, where a round has one call
  FreshContent last_;
  FreshContent answer_;  ///< the content of a fill
};

}  // namespace ke

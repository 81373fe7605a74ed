#pragma once
// The operator (variation) interface.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/candidate.hpp"
#include "core/knob_space.hpp"
#include "core/llm_client.hpp"
#include "core/random_stream.hpp"

namespace ke {

/// No kernel came of it; the candidate is a row with this reason, never a silent drop.
struct NoChild {
  std::string reason;  ///< short code, e.g. nothing_to_vary
};

/// A call that may take days. `state` is all the operator needs to go on, also in another process.
struct Request {
  std::string state;
  LlmRequest request;
};

using Outcome = std::variant<Kernel, NoChild, Request>;

/// A kernel source that the task ships, with what it declares.
struct Seed {
  Kernel kernel;  ///< at its declared defaults
  std::shared_ptr<const KernelSpace> space;
};

/// What every operator may look at besides its parents.
struct Context {
  std::span<const Seed> seeds;  ///< structured kernels of the task; the first one is the anchor
  std::string_view task_text;   ///< task description and reference, for prompts
  LogicalId id;                 ///< the slot asked for
};

/// Makes one child from parents. Pure: equal arguments give equal outcomes. Never waits.
class Operator {
 public:
  virtual ~Operator() = default;
  /// Parents it needs; 0 for operators that start from the task alone.
  virtual int arity() const = 0;
  virtual Outcome start(std::span<const Parent> parents, const Context& context,
                        RandomStream& random) const = 0;
  /// Continues after the exchange that `start` or an earlier `resume` asked for.
  virtual Outcome resume(std::string_view state, const Exchange& exchange,
                         std::span<const Parent> parents, const Context& context,
                         RandomStream& random) const;
};

}  // namespace ke

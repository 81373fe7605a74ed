#pragma once
// A kernel built for this CPU.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/codec.hpp"
#include "core/result.hpp"
#include "fitness/build_outcome.hpp"
#include "fitness/host/wire.hpp"
#include "fitness/task.hpp"

namespace ke {
struct LaunchPlans {
  std::vector<wire::Launch> prepared;  ///< one for each machine code that calls may use
  /// The launches of a call at a workload. The error is the candidate's.
  std::function<Result<std::vector<wire::Launch>>(const Workload&)> at;
};
using LaunchPlansPtr = std::shared_ptr<const LaunchPlans>;

/// The result of building one kernel. Immutable once made.
struct Built : BuildOutcome {
  bool prepares = false;              ///< has a function `prepare`
  std::string object;                 ///< bytes of the object file, to link with any padding
  LaunchPlansPtr launches = nullptr;  ///< for an OpenCL program instead of a function
  std::string python;  ///< language of a Python baseline, whose source is `object`; never stored

  void encode(Encoder& out) const {
    out("built/2")(verdict)(reason)(message)(trusted)(prepares)(build_hash)(object)(diagnostics);
    out(policy_flags)(measures)(hot_loop)(missed)(compile_ns);
  }
  void decode(Decoder& in) {
    std::string format;
    in(format)(verdict)(reason)(message)(trusted)(prepares)(build_hash)(object)(diagnostics);
    in(policy_flags)(measures)(hot_loop)(missed)(compile_ns);
  }
};

using BuiltPtr = std::shared_ptr<const Built>;

class Libraries {
 public:
  virtual ~Libraries() = default;
  /// Announces that a library will be needed soon.
  virtual void ahead(const BuiltPtr& built, std::uint64_t padding) = 0;
  /// The bytes for a worker to load. `padding`: cache lines in front of the code, if it can be
  /// moved.
  virtual Result<std::string> link(const BuiltPtr& built, std::uint64_t padding) = 0;
};

}  // namespace ke

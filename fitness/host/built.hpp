#pragma once
// A kernel built for this processor.

#include <memory>
#include <string>

#include "core/codec.hpp"
#include "fitness/build_outcome.hpp"
#include "fitness/host/launches.hpp"

namespace ke {

/// What building one kernel gave. Immutable once made.
struct Built : BuildOutcome {
  bool prepares = false;  ///< has a function `prepare`
  std::string object;     ///< bytes of the object file, ready to be linked with any padding
  LaunchPlansPtr launches = nullptr;  ///< of an OpenCL program, in place of a function
  std::string python;  ///< language of a baseline in Python, whose source is `object`; never stored

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

}  // namespace ke

#pragma once
// A device for one task outside of a run, described by words like `device=riscv`.

#include <span>
#include <string>

#include "experiments/run/assemble.hpp"

namespace ke {

struct DescribedDevice {
  Experiment experiment;
  Subject subject;
};

/// `words` override keys of `device`. Errors: another key, or a value that an experiment would
/// refuse.
Result<DescribedDevice> describe_device(const std::string& task,
                                        std::span<const std::string> words);

}  // namespace ke

#pragma once
// A device for one task outside of a run, as words like `device=riscv` describe it.

#include <span>
#include <string>

#include "experiments/run/assemble.hpp"

namespace ke {

struct DescribedDevice {
  Experiment experiment;
  Subject subject;
};

/// `words` are overrides of keys of `device`. Errors: another key, what an experiment would refuse.
Result<DescribedDevice> describe_device(const std::string& task,
                                        std::span<const std::string> words);

}  // namespace ke

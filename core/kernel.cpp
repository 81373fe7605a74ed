#include "core/kernel.hpp"

#include <algorithm>

namespace ke {

Digest Kernel::genome_hash() const {
  Encoder out;
  out("genome/1")(language)(source)(knobs);
  out(std::count_if(flags.begin(), flags.end(), [](const auto& flag) { return !flag.empty(); }));
  for (const auto& flag : flags) {
    if (!flag.empty()) out(flag);
  }
  out(launch_plan);
  return out.digest();
}

}  // namespace ke

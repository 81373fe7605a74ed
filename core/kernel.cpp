#include "core/kernel.hpp"

namespace ke {

Digest Kernel::genome_hash() const {
  std::vector<std::string> used;
  for (const auto& flag : flags) {
    if (!flag.empty()) used.push_back(flag);
  }
  Encoder out;
  out("genome/1")(language)(source)(knobs)(used)(launch_plan);
  return out.digest();
}

}  // namespace ke

#include "core/kernel.hpp"

#include <algorithm>

namespace ke {

Digest Kernel::genome_hash() const {
  constexpr std::size_t genes = 1024;  // rough size in bytes without the source
  Encoder out(source.size() + genes);
  out("genome/1")(language)(source)(knobs);
  out(std::count_if(flags.begin(), flags.end(), [](const auto& flag) { return !flag.empty(); }));
  for (const auto& flag : flags) {
    if (!flag.empty()) out(flag);
  }
  out(launch_plan);
  return out.digest();
}

}  // namespace ke

#include "fitness/hip/amd_target.hpp"

namespace ke::hip {

// Compute units and memory of one GPU that the system shows: half an MI250X, a whole MI300X. L2 is
// that of one die.
DeviceTerms terms_of(std::string_view target) {
  const bool mi300 = target == "gfx942";
  DeviceTerms terms;
  terms.name = target;
  terms.sm_count = mi300 ? 304 : 110;
  terms.l2_bytes = std::int64_t{mi300 ? 4 : 8} << 20;
  terms.smem_optin = 65'536;
  terms.max_threads = 1024;
  terms.max_block = {1024, 1024, 1024};
  terms.max_grid = {2'147'483'647, 65'535, 65'535};
  terms.memory_bytes = std::int64_t{mi300 ? 192 : 64} << 30;
  terms.clusters = false;
  return terms;
}

// An MI300X has 256 MiB in front of its memory, and 4 MiB in each of eight dies; half an MI250X has
// but its L2.
std::int64_t cache_bytes_of(std::string_view target) {
  return std::int64_t{target == "gfx942" ? 288 : 8} << 20;
}

}  // namespace ke::hip

#include "fitness/hip/amd_target.hpp"

#include <fmt/format.h>

namespace ke::hip {

// Compute units and memory of one GPU as the system shows it: half an MI250X, or a whole MI300X. L2
// is per die.
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

// Registers and waves per SIMD unit are from AMD's instruction set guides for CDNA2 and CDNA3.
std::string sheet_of(std::string_view target) {
  const DeviceTerms terms = terms_of(target);
  return fmt::format(
      "{} ({}): {} compute units of 4 SIMD units; waves of 64 threads, at most 8 a SIMD unit; 512 "
      "vector registers of 32 bits a lane, accumulation registers among them, shared by the "
      "waves of a SIMD unit; LDS {} KiB a block and a compute unit; L2 {} MiB a die; device memory "
      "{} GiB\n",
      target, target == "gfx942" ? "CDNA3" : "CDNA2", terms.sm_count, terms.smem_optin >> 10,
      terms.l2_bytes >> 20, terms.memory_bytes >> 30);
}

// An MI300X has 256 MiB in front of its memory, plus 4 MiB in each of eight dies; half an MI250X
// has only its L2.
std::int64_t cache_bytes_of(std::string_view target) {
  return std::int64_t{target == "gfx942" ? 288 : 8} << 20;
}

}  // namespace ke::hip

#pragma once
// A kernel with nested loops that declares everything that a source can, candidates in its space,
// and operators.

#include <memory>
#include <set>

#include "operators/registry.hpp"
#include "tests/support/options.hpp"

namespace ke {

inline Seed conformance_seed() {
  constexpr const char* source =
      "// @knob A int {1, 2, 4, 8} = 2\n// @knob B enum {x, y, z} = x\n// @knob C bool = false\n"
      "// @require !C || A >= 4\n// @flags -O3; -funroll-loops?; -mprefer-vector-width={256,512}\n"
      "extern \"C\" void kernel(float* out, const float* in) {\n  for (int i = 0; i < 4; ++i)\n"
      "    for (int j = 0; j < 4; ++j) out[4 * i + j] = in[4 * j + i];\n}\n";
  Seed seed;
  seed.space = std::make_shared<const KernelSpace>(*parse_kernel_space("k.cpp", source));
  seed.kernel = seed.space->defaults("k.cpp", source);
  return seed;
}

inline CandidatePtr conformance_candidate(const Seed& seed, Kernel kernel, std::int64_t step) {
  auto candidate = std::make_shared<Candidate>();
  candidate->id = {step, 0, 0};
  candidate->genome_hash = kernel.genome_hash();
  candidate->kernel = std::move(kernel);
  candidate->space = seed.space;
  return candidate;
}

inline std::unique_ptr<Operator> make_operator(std::string_view name, const Node& options = {}) {
  return test::make_component(operators(), name, options);
}

class SeenSet final : public GenomeSet {
 public:
  bool contains(const Digest& genome) const override { return genomes.contains(genome); }
  std::set<Digest> genomes;
};

}  // namespace ke

#include "operators/draw_new.hpp"

namespace ke {
namespace {

constexpr int draw_tries = 200;

}  // namespace

Outcome draw_new(const Context& context, RandomStream& random) {
  if (context.seeds.empty()) return NoChild{"no_seeds"};
  for (int i = 0; i < draw_tries; ++i) {
    const Seed& seed = context.seeds[random.below(context.seeds.size())];
    auto kernel = seed.space->sample(seed.kernel, random);
    if (!kernel) return NoChild{"constraints"};
    const Digest hash = kernel->genome_hash();
    if (context.is_new(hash)) return HashedKernel(*std::move(kernel), hash);
  }
  return NoChild{"all_seen"};
}

}  // namespace ke

#include "operators/room_left.hpp"

namespace ke {
namespace {

constexpr int draw_tries = 200;

constexpr std::uint64_t most_points = 256;  ///< limit of the enumeration

std::vector<std::size_t> sizes_of(const KernelSpace& space, Genes genes) {
  std::vector<std::size_t> sizes;
  for (const Knob& knob : space.knobs) sizes.push_back(knob.values.size());
  if (genes == Genes::knobs) return sizes;
  for (const FlagGene& gene : space.flag_genes) sizes.push_back(gene.alternatives.size());
  return sizes;
}

void set_genes(const KernelSpace& space, const std::vector<std::size_t>& digits, Kernel& kernel) {
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i < space.knobs.size()) {
      kernel.knobs[space.knobs[i].name] = space.knobs[i].values[digits[i]];
    } else {
      const std::size_t gene = i - space.knobs.size();
      kernel.flags[gene] = space.flag_genes[gene].alternatives[digits[i]];
    }
  }
}

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

bool has_room(const KernelSpace* space, const Kernel& kernel, Genes genes, const Context& context) {
  if (space == nullptr || !space->declares(kernel)) return false;
  const std::vector<std::size_t> sizes = sizes_of(*space, genes);
  std::uint64_t points = 1;
  for (const std::size_t size : sizes) {
    points *= size;
    if (points > most_points) return true;
  }
  if (points == 1) return false;
  Kernel point = kernel;
  std::vector<std::size_t> digits(sizes.size(), 0);
  for (std::uint64_t left = points; left > 0; --left) {
    set_genes(*space, digits, point);
    if (space->admits(point) && context.is_new(point.genome_hash())) return true;
    for (std::size_t i = 0; i < digits.size() && ++digits[i] == sizes[i]; ++i) digits[i] = 0;
  }
  return false;
}

bool has_room(std::span<const Seed> seeds, const Context& context) {
  for (const Seed& seed : seeds) {
    if (has_room(seed.space.get(), seed.kernel, Genes::knobs_and_flags, context)) return true;
    if (context.is_new(seed.kernel.genome_hash())) return true;
  }
  return false;
}

}  // namespace ke

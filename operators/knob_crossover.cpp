#include <algorithm>
#include <bit>
#include <optional>

#include "operators/registry.hpp"
#include "operators/room_left.hpp"

namespace ke {
namespace {

constexpr int crossover_tries = 100;
constexpr std::size_t most_mixtures = 256;  ///< enumeration limit: costs as much as drawing in vain

/// The genes of one point, mixed from both parents.
struct MixedGenes {
  Positions knobs;
  std::vector<std::string> flags;
  friend bool operator==(const MixedGenes&, const MixedGenes&) = default;
};

/// Knobs sorted by name, the order in which genes are drawn.
std::vector<std::size_t> by_name(const std::vector<Knob>& knobs) {
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < knobs.size(); ++k) order.push_back(k);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return knobs[a].name < knobs[b].name; });
  return order;
}

/// Whether an admitted mixture other than the parents may exist. Exact up to `most_mixtures`
/// mixtures; most parents in sparse spaces have none.
bool may_mix(const KernelSpace& space, const MixedGenes& hers, const MixedGenes& his) {
  std::vector<std::size_t> differing;
  for (std::size_t k = 0; k < hers.knobs.size(); ++k) {
    if (hers.knobs[k] != his.knobs[k]) differing.push_back(k);
  }
  const std::size_t mixtures = std::size_t{1} << std::min<std::size_t>(differing.size(), 62);
  if (hers.flags != his.flags || mixtures > most_mixtures) return true;
  Positions mixed = hers.knobs;
  for (std::size_t i = 1; i < mixtures; ++i) {  // Gray code: one knob changes at a time
    const std::size_t k = differing[static_cast<std::size_t>(std::countr_zero(i))];
    mixed[k] = (mixed[k] == hers.knobs[k] ? his : hers).knobs[k];
    if (space.admits(mixed) && mixed != his.knobs) return true;
  }
  return false;
}

/// A fair coin, equal to below(2) of this word.
bool his_turn(std::uint64_t word) { return word >> 63 == 1; }

/// Uniform crossover [Syswerda1989]: each knob and flag gene comes from either parent with equal
/// probability; skips mixtures that the run has seen. Needs two parents with the same source.
/// Answers NoChild{different_sources}, NoChild{unchanged} when no admitted mixture differs from
/// both parents, or NoChild{all_seen} when no new one does.
class KnobCrossover final : public Operator {
 public:
  int arity() const override { return 2; }
  bool stays_in_spaces() const override { return true; }
  bool can_start(const Context& context, const Candidate* first) const override {
    return has_room(first->space.get(), first->kernel, Genes::knobs_and_flags, context);
  }

  Outcome start(std::span<const Parent> parents, const Context& context,
                RandomStream& random) const override {
    const Candidate& mother = *parents[0].candidate;
    const Candidate& father = *parents[1].candidate;
    if (mother.kernel.source != father.kernel.source) return NoChild{"different_sources"};
    const bool comparable = mother.space && mother.space->declares(mother.kernel) &&
                            mother.space->declares(father.kernel);
    if (!comparable) return NoChild{"unchanged"};
    const KernelSpace& space = *mother.space;
    const MixedGenes hers{space.positions(mother.kernel), mother.kernel.flags};
    const MixedGenes his{space.positions(father.kernel), father.kernel.flags};
    if (!may_mix(space, hers, his)) return NoChild{"unchanged"};
    const std::vector<std::size_t> order = by_name(space.knobs);
    MixedGenes mixed = hers;
    std::optional<Kernel> child;
    std::vector<std::uint64_t> words(order.size() + mixed.flags.size());
    std::vector<MixedGenes> known;
    for (int i = 0; i < crossover_tries; ++i) {
      random.fill(words);
      auto word = words.begin();
      for (const std::size_t k : order) mixed.knobs[k] = (his_turn(*word++) ? his : hers).knobs[k];
      for (std::size_t g = 0; g < mixed.flags.size(); ++g) {
        mixed.flags[g] = (his_turn(*word++) ? his : hers).flags[g];
      }
      // Most tries fail the constraints; hashing comes last because it costs the most.
      if (!space.admits(mixed.knobs) || mixed == hers || mixed == his) continue;
      if (std::ranges::count(known, mixed) > 0) continue;
      if (!child) child = mother.kernel;
      space.set(mixed.knobs, *child);
      child->flags = mixed.flags;
      const Digest hash = child->genome_hash();
      if (hash == mother.genome_hash || hash == father.genome_hash) continue;
      if (context.is_new(hash)) return HashedKernel(*std::move(child), hash);
      known.push_back(mixed);
    }
    return NoChild{known.empty() ? "unchanged" : "all_seen"};
  }
};

}  // namespace

std::unique_ptr<Operator> make_knob_crossover_operator(Params&) {
  return std::make_unique<KnobCrossover>();
}

}  // namespace ke

#include "operators/registry.hpp"

namespace ke {
namespace {

constexpr int flag_tries = 50;

/// Changes one compiler flag gene to another alternative, such that the result is new to the run.
/// Needs one parent. Answers NoChild{nothing_to_vary} when the source declares no flag gene,
/// NoChild{all_seen} when it found no new neighbour.
class FlagStep final : public Operator {
 public:
  int arity() const override { return 1; }
  bool stays_in_spaces() const override { return true; }

  bool can_start(const Context& context, const Candidate* first) const override {
    if (!first->space || first->kernel.flags.size() != first->space->flag_genes.size())
      return false;
    for (std::size_t g = 0; g < first->kernel.flags.size(); ++g) {
      Kernel child = first->kernel;
      for (const auto& alternative : first->space->flag_genes[g].alternatives) {
        child.flags[g] = alternative;
        if (alternative != first->kernel.flags[g] && context.is_new(child.genome_hash())) {
          return true;
        }
      }
    }
    return false;
  }

  Outcome start(std::span<const Parent> parents, const Context& context,
                RandomStream& random) const override {
    const Candidate& parent = *parents[0].candidate;
    if (!parent.space) return NoChild{"nothing_to_vary"};
    const auto& genes = parent.space->flag_genes;
    std::vector<std::size_t> free;
    for (std::size_t g = 0; g < genes.size(); ++g) {
      if (genes[g].alternatives.size() > 1) free.push_back(g);
    }
    if (free.empty()) return NoChild{"nothing_to_vary"};
    for (int i = 0; i < flag_tries; ++i) {
      Kernel child = parent.kernel;
      const std::size_t gene = free[random.below(free.size())];
      child.flags[gene] = other(genes[gene], child.flags[gene], random);
      const Digest hash = child.genome_hash();
      if (context.is_new(hash)) return HashedKernel(std::move(child), hash);
    }
    return NoChild{"all_seen"};
  }

 private:
  static std::string other(const FlagGene& gene, const std::string& now, RandomStream& random) {
    std::vector<std::string> rest;
    for (const auto& alternative : gene.alternatives) {
      if (alternative != now) rest.push_back(alternative);
    }
    return rest[random.below(rest.size())];
  }
};

}  // namespace

std::unique_ptr<Operator> make_flag_step_operator(Params&) { return std::make_unique<FlagStep>(); }

}  // namespace ke

#include "core/search/flag_search.hpp"

#include <set>

namespace ke {
namespace {

using Flags = std::vector<std::string>;

class FlagSearch {
 public:
  FlagSearch(const Kernel& kernel, const KernelSpace& space, std::int64_t most,
             const TryFlags& try_flags)
      : kernel_(kernel), genes_(space.flag_genes), left_(most), try_flags_(try_flags) {}

  /// Tries all flag sets in the order of an odometer over the genes.
  Result<bool> all() {
    std::vector<std::size_t> at(genes_.size(), 0);
    for (;;) {
      Flags flags;
      for (std::size_t g = 0; g < genes_.size(); ++g) {
        flags.push_back(genes_[g].alternatives[at[g]]);
      }
      KE_TRY_VOID(take(flags));
      std::size_t g = 0;
      while (g < at.size() && ++at[g] == genes_[g].alternatives.size()) at[g++] = 0;
      if (g == at.size() || !going_) return going_;
    }
  }

  Result<bool> some() {
    Flags last;
    for (const FlagGene& gene : genes_) last.push_back(gene.alternatives.back());
    KE_TRY_VOID(take(kernel_.flags));
    KE_TRY_VOID(take(last));
    KE_TRY_VOID(neighbours(kernel_.flags));
    for (bool improved = true; improved && going_ && left_ > 0;) {
      const double before = best_speedup_;
      KE_TRY_VOID(neighbours(Flags(best_)));
      improved = best_speedup_ > before;
    }
    return going_;
  }

 private:
  Result<void> neighbours(const Flags& from) {
    for (std::size_t g = 0; g < genes_.size(); ++g) {
      for (const std::string& alternative : genes_[g].alternatives) {
        Flags flags = from;
        flags[g] = alternative;
        KE_TRY_VOID(take(flags));
      }
    }
    return {};
  }

  Result<void> take(const Flags& flags) {
    if (!going_ || left_ < 1 || !tried_.insert(flags).second) return {};
    --left_;
    Kernel variant = kernel_;
    variant.flags = flags;
    KE_TRY(const std::optional<double> speedup, try_flags_(variant));
    if (!speedup) going_ = false;
    if (!speedup || *speedup <= best_speedup_) return {};
    best_speedup_ = *speedup;
    best_ = flags;
    return {};
  }

  const Kernel& kernel_;
  const std::vector<FlagGene>& genes_;
  std::int64_t left_;
  const TryFlags& try_flags_;
  std::set<Flags> tried_;
  bool going_ = true;
  double best_speedup_ = 0;
  Flags best_ = kernel_.flags;
};

}  // namespace

std::uint64_t flag_set_count(const KernelSpace& space) {
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  std::uint64_t count = 1;
  for (const FlagGene& gene : space.flag_genes) {
    if (__builtin_mul_overflow(count, gene.alternatives.size(), &count) || count > most)
      return most;
  }
  return count;
}

Result<bool> search_flags(const Kernel& kernel, const KernelSpace& space, std::int64_t most,
                          const TryFlags& try_flags) {
  FlagSearch search(kernel, space, most, try_flags);
  const bool few = flag_set_count(space) <= static_cast<std::uint64_t>(most);
  return few ? search.all() : search.some();
}

}  // namespace ke

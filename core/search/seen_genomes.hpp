#pragma once
// Genomes that a run has proposed, so that operators do not propose them again.

#include <unordered_set>

#include "core/operator.hpp"

namespace ke {

class SeenGenomes final : public GenomeSet {
 public:
  bool contains(const Digest& genome) const override { return seen_.contains(genome); }
  void propose(const Digest& genome) { seen_.insert(genome); }
  /// Forgets a genome that was not judged (lost, timed out), so that it can be tried again.
  void forget(const Digest& genome) { seen_.erase(genome); }

 private:
  std::unordered_set<Digest> seen_;
};

}  // namespace ke

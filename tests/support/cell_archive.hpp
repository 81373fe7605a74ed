#pragma once
// The simplest archive: a grid over m0 x m1 in [-1, 1]^2, for tests of the search.

#include <algorithm>
#include <map>

#include "core/archive.hpp"

namespace ke {

class CellArchive final : public Archive {
 public:
  explicit CellArchive(bool duels, std::size_t side = 8) : duels_(duels), side_(side) {}

  OfferResult offer(const CandidatePtr& candidate, Decision decision) override {
    OfferResult result;
    result.cell = cell_of(*candidate);
    const auto found = std::find_if(elites_.begin(), elites_.end(),
                                    [&](const Elite& elite) { return elite.cell == result.cell; });
    if (found == elites_.end()) {
      result.status = Addition::new_cell;
      elites_.push_back({result.cell, candidate});
      std::sort(elites_.begin(), elites_.end(),
                [](const Elite& a, const Elite& b) { return a.cell < b.cell; });
      return result;
    }
    result.incumbent = found->candidate;
    result.gain = candidate->evaluation.objective - found->candidate->evaluation.objective;
    if (result.gain <= 0) return result;
    if (duels_ && decision == Decision::none) {
      result.status = Addition::duel_needed;
    } else if (!duels_ || decision == Decision::better) {
      result.status = Addition::improved;
      found->candidate = candidate;
    }
    return result;
  }
  const std::vector<Elite>& elites() const override { return elites_; }
  std::size_t cells() const override { return side_ * side_; }
  std::size_t cell_of(const Candidate& candidate) const override {
    const auto bin = [&](const char* name) {
      const double unit = (candidate.evaluation.measures.at(name) + 1) / 2;
      const auto at = static_cast<std::int64_t>(unit * static_cast<double>(side_));
      return static_cast<std::size_t>(
          std::clamp<std::int64_t>(at, 0, static_cast<std::int64_t>(side_) - 1));
    };
    return bin("m0") * side_ + bin("m1");
  }
  std::vector<double> position(const Candidate& candidate) const override {
    const auto unit = [&](const char* name) {
      return (candidate.evaluation.measures.at(name) + 1) / 2;
    };
    return {unit("m0"), unit("m1")};
  }
  std::size_t clipped() const override { return 0; }

 private:
  bool duels_;
  std::size_t side_;
  std::vector<Elite> elites_;
};

}  // namespace ke

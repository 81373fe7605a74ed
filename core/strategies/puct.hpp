#pragma once
// The bookkeeping of parent selection by PUCT: lineages, visits, best descendants. The formula
// stands in map_elites.cpp.

#include <span>
#include <unordered_map>
#include <vector>

#include "core/archive.hpp"

namespace ke {

class Puct {
 public:
  explicit Puct(double exploration) : exploration_(exploration) {}

  /// One number above 0 for each elite; the largest is asked next.
  std::vector<double> scores(const std::vector<Elite>& elites) const;
  /// Counts a visit of the parents and of their ancestors.
  void ask(std::span<const Parent> parents);
  /// Remembers whom a candidate stems from; a working one counts for all its ancestors.
  void tell(const Candidate& candidate);

 private:
  struct Line {
    std::vector<LogicalId> parents;
    double visits = 0;
    double best = 0;  ///< largest worth among the kernel and its descendants; 0 = none yet
  };
  /// Ids, each once, with all their ancestors.
  std::vector<LogicalId> line_of(std::vector<LogicalId> ids) const;
  double best_of(const Candidate& elite) const;

  double exploration_;
  double asks_ = 0;
  std::unordered_map<LogicalId, Line, HashLogicalId> lines_;
};

}  // namespace ke

#pragma once
// Statistics for parent selection by PUCT: lineages, visits, best descendants. The formula is in
// map_elites.cpp.

#include <span>
#include <unordered_map>
#include <vector>

#include "core/archive.hpp"

namespace ke {

class Puct {
 public:
  explicit Puct(double exploration) : exploration_(exploration) {}

  /// One positive score per elite; the largest is asked next.
  std::vector<double> scores(const std::vector<Elite>& elites) const;
  /// Counts a visit of the parents and of their ancestors.
  void ask(std::span<const Parent> parents);
  /// Records a candidate's parents; a working candidate updates the best of all its ancestors.
  void tell(const Candidate& candidate);

 private:
  struct Line {
    std::vector<LogicalId> parents;
    double visits = 0;
    double best = 0;  ///< largest worth among the kernel and its descendants; 0 = none yet
  };
  /// The ids and all their ancestors, each once.
  std::vector<LogicalId> line_of(std::vector<LogicalId> ids) const;
  double best_of(const Candidate& elite) const;

  double exploration_;
  double asks_ = 0;
  std::unordered_map<LogicalId, Line, HashLogicalId> lines_;
};

}  // namespace ke

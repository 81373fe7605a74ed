#pragma once
// The archive interface: elites by cell, and what happens when a newcomer meets one.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/candidate.hpp"

namespace ke {

enum class Addition {
  rejected,     ///< the incumbent stays
  new_cell,     ///< the cell was empty
  improved,     ///< the incumbent fell
  duel_needed,  ///< only a direct comparison can tell; nothing changed yet
};
std::string_view to_string(Addition addition);

/// Answer of `Archive::add`.
struct AddResult {
  Addition status = Addition::rejected;
  std::size_t cell = 0;
  CandidatePtr incumbent;  ///< who stood in the cell before, if anybody
  double gain = 0;         ///< objective minus the incumbent's (or minus the threshold)
  bool clipped = false;    ///< a measure lay outside its axis and was counted in the border cell
};

/// An elite with its place.
struct Elite {
  std::size_t cell = 0;
  CandidatePtr candidate;
};

/// Whether a challenger may take an occupied cell.
enum class Acceptance { accept, reject, duel };

/// The acceptance rule: point (deterministic), threshold (CMA-MAE), noisy duel.
class AcceptanceRule {
 public:
  virtual ~AcceptanceRule() = default;
  virtual Acceptance decide(const Candidate& challenger, const Candidate& incumbent) const = 0;
};

class Archive {
 public:
  virtual ~Archive() = default;
  /// Offers a candidate with verdict ok. `decision` carries the duel's answer in the second call
  /// for the same candidate; the incumbent falls only to Decision::better.
  virtual AddResult add(const CandidatePtr& candidate, Decision decision = Decision::none) = 0;
  /// False when `add` would reject the candidate, whatever a duel said; true when in doubt.
  virtual bool may_enter(const Candidate& /*candidate*/) const { return true; }
  /// All elites, ordered by cell.
  virtual const std::vector<Elite>& elites() const = 0;
  /// Cells in all, filled or not. 0 = unbounded.
  virtual std::size_t cells() const = 0;
  /// The cell of a measure vector given by axis name.
  virtual std::size_t cell_of(const Candidate& candidate) const = 0;
  /// Place in [0, 1]^n, one number a measure, for distances; empty when it knows no measures.
  virtual std::vector<double> position(const Candidate&) const { return {}; }
  /// Measures outside their axes so far.
  virtual std::size_t clipped() const = 0;
};

/// Share of cells that are filled, in [0, 1].
double coverage(const Archive& archive);
/// Sum of the elites' objectives [Pugh2016]; objectives here are ratios, so the offset is 0.
double qd_score(const Archive& archive);
/// The elite with the highest objective, ties to the lower cell; null when empty.
CandidatePtr best_elite(const Archive& archive);

}  // namespace ke

#pragma once
// The archive interface: the best candidate (elite) of each cell, and the rule for replacing it.

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
  improved,     ///< the challenger replaced the incumbent
  duel_needed,  ///< only a direct comparison can decide; nothing has changed yet
};
constexpr std::string_view to_string(Addition addition) {
  constexpr std::string_view names[] = {"rejected", "new_cell", "improved", "duel_needed"};
  return names[static_cast<std::size_t>(addition)];
}

/// Whether the challenger is now an elite.
constexpr bool has_entered(Addition addition) {
  return addition == Addition::new_cell || addition == Addition::improved;
}

/// Answer of `Archive::offer`.
struct OfferResult {
  Addition status = Addition::rejected;
  std::size_t cell = 0;
  CandidatePtr incumbent;  ///< the cell's elite before the call; null if there was none
  double gain = 0;         ///< objective minus the incumbent's (or minus the threshold)
  bool clipped = false;    ///< a measure lay outside its axis and was counted in the border cell
};

/// An elite and its cell.
struct Elite {
  std::size_t cell = 0;
  CandidatePtr candidate;
};

/// Whether a challenger may replace the elite of an occupied cell.
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
  /// Offers a candidate with verdict ok. A second call for the same candidate passes the duel's
  /// result in `decision`; only Decision::better replaces the incumbent.
  virtual OfferResult offer(const CandidatePtr& candidate, Decision decision = Decision::none) = 0;
  /// False when `offer` would reject the candidate whatever a duel decides; true when in doubt.
  virtual bool may_enter(const Candidate& /*candidate*/) const { return true; }
  /// All elites, ordered by cell.
  virtual const std::vector<Elite>& elites() const = 0;
  /// Number of cells, filled or empty; 0 = unbounded.
  virtual std::size_t cells() const = 0;
  /// The cell of the candidate's measures, which are looked up by axis name.
  virtual std::size_t cell_of(const Candidate& candidate) const = 0;
  /// The measures scaled to [0, 1], for distances; empty when the archive uses no measures.
  virtual std::vector<double> position(const Candidate&) const { return {}; }
  /// Number of measures so far that lay outside their axes.
  virtual std::size_t clipped() const = 0;
};

/// Share of filled cells, in [0, 1].
double coverage(const Archive& archive);
/// Sum of the elites' objectives [Pugh2016]; objectives here are ratios, so the offset is 0.
double qd_score(const Archive& archive);
}  // namespace ke

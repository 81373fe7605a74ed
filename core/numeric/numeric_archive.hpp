#pragma once
// Elites of a numeric search by cell, added in batches.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/codec.hpp"
#include "core/numeric/problem.hpp"

namespace ke {

/// The digest of a numeric archive's elites, from the archive or from stored rows: SHA-256 of
/// "numeric_elites/1" and of each elite's cell, objective, measures and solution. Add elites in
/// ascending order of cell.
class ElitesDigest {
 public:
  ElitesDigest() { out_("numeric_elites/1"); }
  void add(std::int64_t cell, double objective, std::span<const double> measures,
           std::span<const double> solution) {
    out_(cell)(objective)(measures.size())(solution.size());
    for (const double value : measures) out_(value);
    for (const double value : solution) out_(value);
  }
  Digest digest() const { return out_.digest(); }

 private:
  Encoder out_;
};

/// Divides the measure space into cells.
class Cells {
 public:
  struct Place {
    std::uint32_t cell = 0;
    std::uint32_t clipped = 0;  ///< number of measures outside their axes
  };
  virtual ~Cells() = default;
  virtual std::size_t count() const = 0;
  /// The cells of the rows of `measures`, in order.
  virtual void locate(Rows measures, std::span<Place> places) const = 0;
};

/// One axis with bins of equal width.
struct EqualBins {
  double low = 0;
  double high = 1;
  std::uint32_t bins = 1;  ///< >= 1
};

/// Bins of equal width on every axis; the last axis varies fastest in the cell number. The bin of m
/// is floor((m - low) / (high - low) x bins); measures outside are clipped to the border bins.
class GridCells final : public Cells {
 public:
  explicit GridCells(std::vector<EqualBins> axes);
  std::size_t count() const override { return count_; }
  void locate(Rows measures, std::span<Place> places) const override;

 private:
  std::vector<EqualBins> axes_;
  std::size_t count_ = 1;
};

/// Result for one solution of a batch, in the order that two-stage rankings use.
enum class NumericStatus : std::uint32_t { rejected, improved, new_cell };

struct NumericAddition {
  NumericStatus status = NumericStatus::rejected;
  std::uint32_t cell = 0;
  std::uint32_t clipped = 0;
  double gain = 0;  ///< objective minus the cell's threshold before the batch; see SoftRule
};

/// Threshold of a soft archive [Fontaine2023]: a cell accepts objectives above its t, which starts
/// at `floor`. k accepted solutions of one batch with mean objective f change t to (1 - rate)^k t +
/// (1 - (1 - rate)^k) f.
struct SoftRule {
  double rate = 1;   ///< in [0, 1]; alpha in the paper
  double floor = 0;  ///< min f in the paper
};

/// One elite per cell. All solutions of a batch are compared with the archive before the batch;
/// among those accepted in one cell the highest objective stays, ties go to the first. Without a
/// SoftRule the threshold is the elite's objective; an empty cell accepts everything and counts as
/// 0 in `gain`. With a SoftRule an accepted solution replaces even a better elite. A non-finite
/// objective is rejected.
class NumericArchive {
 public:
  NumericArchive(std::shared_ptr<const Cells> cells, std::size_t dimensions, std::size_t measures,
                 std::optional<SoftRule> soft = std::nullopt);

  /// `additions` has one entry per row. O(rows x dimensions).
  void offer(Rows solutions, std::span<const double> objectives, Rows measures,
             std::span<NumericAddition> additions);

  std::size_t cells() const { return slot_of_.size(); }
  /// Number of filled cells. Elites are numbered 0, 1, ... in the order their cells were first
  /// filled.
  std::size_t filled() const { return objectives_.size(); }
  std::span<const double> solution(std::size_t slot) const {
    return std::span(solutions_).subspan(slot * dimensions_, dimensions_);
  }
  std::span<const double> measures(std::size_t slot) const {
    return std::span(measures_).subspan(slot * measures_of_, measures_of_);
  }
  double objective(std::size_t slot) const { return objectives_[slot]; }
  std::uint32_t cell(std::size_t slot) const { return cell_of_[slot]; }

  /// Sum of the elites' objectives [Pugh2016].
  double qd_score() const;
  /// Highest objective; 0 when empty.
  double best() const;
  /// Number of measures outside their axes so far.
  std::int64_t clipped() const { return clipped_; }
  /// SHA-256 over cell, objective, measures and solution of every elite, in order of cell.
  Digest digest() const;

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  void judge(double objective, NumericAddition& addition) const;
  void choose(std::span<const double> objectives, std::span<const NumericAddition> additions);
  void put(std::uint32_t cell, std::span<const double> solution, double objective,
           std::span<const double> measures);
  void move_thresholds(std::span<const double> objectives,
                       std::span<const NumericAddition> additions);

  std::shared_ptr<const Cells> geometry_;
  std::size_t dimensions_;
  std::size_t measures_of_;
  std::optional<SoftRule> soft_;
  std::vector<std::uint32_t> slot_of_;  ///< by cell
  std::vector<double> thresholds_;      ///< by cell; empty without a SoftRule
  std::vector<std::uint32_t> cell_of_;  ///< by slot, as are the vectors below
  std::vector<double> solutions_;
  std::vector<double> objectives_;
  std::vector<double> measures_;
  std::int64_t clipped_ = 0;
  std::vector<Cells::Place> places_;      ///< of the current batch
  std::vector<std::uint32_t> winner_;     ///< by cell: its row in the current batch, or none
  std::vector<std::uint32_t> contested_;  ///< cells with a winner, by first accepted row
};

}  // namespace ke

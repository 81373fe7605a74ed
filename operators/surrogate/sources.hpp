#pragma once
// Groups judged kernels by source and ranks the sources by promise.
// Encodes a kernel's knobs and flags as numbers for a model.
// Values of knobs and flags with which no kernel passed.

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/candidate.hpp"
#include "core/knob_space.hpp"

namespace ke {

/// Encodes kernels of one space as rows of numbers:
///   integer and boolean knobs   the value's position in its list
///   enumerations, flag genes    one indicator per value (one number when there are two)
///   pairs of integer knobs      log2 a + log2 b, if both have more than two values, all above 0:
///                               block and tile sizes act through their products
/// Omits knobs with a single value.
class Encoding {
 public:
  explicit Encoding(const KernelSpace& space);

  /// Numbers per row.
  std::size_t width() const { return width_; }
  /// Appends the row of a kernel that the space admits.
  void append(const Kernel& kernel, std::vector<double>& rows) const;

 private:
  const KernelSpace& space_;
  std::vector<std::vector<double>> log2_;  ///< per knob and value; empty = not used in pairs
  std::size_t width_ = 0;
};

class NeverPassed {
 public:
  /// Learns from judged kernels of one source. Refuses a value when at least `tries` kernels had it
  /// and none was ok. The value with the most failures is refused first; its kernels then count
  /// against no other value. Refuses nothing while no kernel of the source is ok or `tries` is 0.
  NeverPassed(const KernelSpace& space, std::span<const Candidate* const> kernels,
              std::size_t tries);

  bool allows(const Kernel& kernel) const;
  /// Refused values, for tests and messages: "NAME=value", or the flag.
  std::vector<std::string> values() const;

 private:
  /// A gene's index (knobs first, then flag genes) and its value.
  using Value = std::pair<std::size_t, std::string>;
  std::vector<Value> values_of(const Kernel& kernel) const;
  /// Writes to `found` the value that most of these failed kernels and no ok kernel have. False
  /// where fewer than `tries` of them have it.
  bool worst(std::span<const Candidate* const> failed, std::size_t tries, Value& found) const;

  const KernelSpace& space_;
  std::set<Value> passed_;
  std::set<Value> refused_;
};

/// Data on one source: the training set of its model.
struct SourcePoints {
  const Candidate* best = nullptr;        ///< largest worth; null = none works yet
  std::vector<const Candidate*> kernels;  ///< in commit order
  /// natural logarithm of each kernel's worth; a failed kernel has the lowest
  std::vector<double> targets;
  double recent = 0;  ///< gain of the last `recent_points` kernels in ln worth of the best
};

inline constexpr std::size_t recent_points = 4;

/// Sources in order of first appearance. Omits kernels without declarations or with undeclared
/// genes.
std::vector<SourcePoints> points_by_source(std::span<const CandidatePtr> judged);

/// The source of the island's best kernel; null while none works.
const SourcePoints* leading_source(const std::vector<SourcePoints>& sources);

/// Sources with a working kernel, the most promising first; ties go to the one seen first.
///   promise = ln best + recent + exploration sqrt(2 ln(1 + N) / n) (1 - n / size)
/// for n points of the source, N of all sources, and `size` combinations of its space. The bonus is
/// that of UCB1 [Auer2002]; its last factor is the unexplored share of the space. `recent`
/// extrapolates the last gain, as rising bandits do for choosing among spaces to tune [Li2020].
std::vector<const SourcePoints*> by_promise(const std::vector<SourcePoints>& sources,
                                            double exploration);

}  // namespace ke

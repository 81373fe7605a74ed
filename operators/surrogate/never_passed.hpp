#pragma once
// Values of knobs and flags with which no kernel passed.

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/candidate.hpp"
#include "core/knob_space.hpp"

namespace ke {

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

}  // namespace ke

#pragma once
// Values of knobs and flags that no kernel ever passed with.

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
  /// Learns from judged kernels of one source. A value is refused when at least `tries` kernels had
  /// it and none was ok. The value with the most failures is refused first, and kernels with it
  /// count against no other value. Nothing is refused while no kernel of the source is ok, or when
  /// `tries` is 0.
  NeverPassed(const KernelSpace& space, std::span<const Candidate* const> kernels,
              std::size_t tries);

  bool allows(const Kernel& kernel) const;
  /// Refused values, for tests and messages: "NAME=value", or the flag.
  std::vector<std::string> values() const;

 private:
  /// A gene's place: knobs first, then flag genes; and the value that it has.
  using Value = std::pair<std::size_t, std::string>;
  std::vector<Value> values_of(const Kernel& kernel) const;
  /// The value that most of these failed kernels have and no ok one; false when fewer have it.
  bool worst(std::span<const Candidate* const> failed, std::size_t tries, Value& found) const;

  const KernelSpace& space_;
  std::set<Value> passed_;
  std::set<Value> refused_;
};

}  // namespace ke

#pragma once
// The hints of a run: drawn by credit, edited by the model, limited in number.

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/hints.hpp"
#include "core/strategy.hpp"

namespace ke {

struct HintPlan {
  std::vector<Hint> first;  ///< shipped hints, at least one, with different ids
  std::shared_ptr<const HintEditor> editor;
  double rate = 0.1;     ///< chance that a slot with a hint also asks for an edit of it
  std::size_t size = 8;  ///< hints that are drawn from; at least the shipped ones
  std::unique_ptr<OperatorSelection> selection;  ///< null = drawn evenly
};

/// All islands share one pool. It is drawn from at asks and told at commits, both of which come in
/// logical order, so its state does not depend on the machine and is rebuilt by a replay.
class HintPool {
 public:
  explicit HintPool(HintPlan plan);

  const Hint& draw(RandomStream& random);
  const HintEditor& editor() const { return *plan_.editor; }
  double rate() const { return plan_.rate; }
  const HintCredit& credit(const Hint& hint) { return credits_[hint.id]; }
  /// A committed candidate, with the hint that its slot asked for. A hint that is known changes
  /// nothing. A new one in a full pool displaces the hint with the fewest elites per child, the
  /// older one of two equals; hints without children stay.
  void tell(const Commit& told, std::span<const Parent> parents, const HintEdit& edit);

 private:
  void add(const Hint& hint);
  void displace();

  HintPlan plan_;
  std::map<std::string, Hint> hints_;
  std::vector<OperatorChoice> drawn_from_;  ///< by id, oldest first
  std::map<std::string, HintCredit> credits_;
};

}  // namespace ke

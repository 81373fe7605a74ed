// Monte-Carlo tree search with UCT [Kocsis2006]: a draft phase, then tree expansion, as in Meta's
// KernelEvolve [Liao2025]. A node is a kernel, the root is the task.
//   while the root has fewer than `drafts` requested children: draft (an operator without parents)
//   else: descend from the root while the node has `branching` requested children, each time to
//         the child with the largest  Q + exploration sqrt(ln N_parent / N_child);  vary that node
// Q is the mean of ln f over all attempts below the node, scaled to [0, 1] by the least and the
// largest ln f seen. A failed or unfinished attempt counts as the least (virtual loss
// [Chaslot2008], so that attempts in flight spread out).

#include <algorithm>
#include <cmath>
#include <map>

#include "core/portable_math.hpp"
#include "core/registry.hpp"
#include "core/strategies/choose.hpp"

namespace ke {
namespace {

struct TreeNode {
  CandidatePtr candidate;  ///< null for the root
  std::size_t parent = 0;
  std::vector<std::size_t> children;
  std::size_t asked = 0;  ///< requested children
  double visits = 1;      ///< attempts at and below the node
  double successes = 0;   ///< attempts that gave a kernel
  double sum = 0;         ///< sum of ln f over the successes
};

class Mcts final : public Strategy {
 public:
  explicit Mcts(Params& params)
      : drafts_(static_cast<std::size_t>(
            params.integer("drafts", 8, {1, 1'000'000}, "children of the root"))),
        branching_(static_cast<std::size_t>(
            params.integer("branching", 4, {1, 1'000'000}, "children of every other node"))),
        exploration_(params.real("exploration", 0.5, {0, 100}, "weight of the UCT bonus")) {}

  Proposal ask(const IslandView& view, RandomStream& random) override {
    if (auto first = opening(view, random)) return *first;
    if (nodes_.size() == 1) {
      for (const CandidatePtr& elite : best_elites(view.archive)) add(elite);
    }
    const std::size_t at = select();
    Proposal proposal = at == 0 ? fresh(view, random) : vary(view, nodes_[at].candidate, random);
    attempt(proposal.parents.empty() ? 0 : at);
    return proposal;
  }

  void tell(const Commit& told) override {
    if (is_usable(*told.candidate)) add(told.candidate);
  }

 private:
  std::size_t select() const {
    std::size_t at = 0;
    while (nodes_[at].asked >= (at == 0 ? drafts_ : branching_) && !nodes_[at].children.empty()) {
      at = best_child(nodes_[at]);
    }
    return at;
  }

  std::size_t best_child(const TreeNode& node) const {
    std::size_t best = node.children.front();
    double most = -1;
    for (const std::size_t child : node.children) {
      const double bonus =
          std::sqrt(portable_log(std::max(1.0, node.visits)) / nodes_[child].visits);
      const double value = quality(nodes_[child]) + exploration_ * bonus;
      if (value > most) {  // ties go to the older child
        most = value;
        best = child;
      }
    }
    return best;
  }

  double quality(const TreeNode& node) const {
    if (high_ <= low_) return 0;
    const double mean = (node.sum + (node.visits - node.successes) * low_) / node.visits;
    return (mean - low_) / (high_ - low_);
  }

  void attempt(std::size_t at) {
    ++nodes_[at].asked;
    for (; at != 0; at = nodes_[at].parent) ++nodes_[at].visits;
    ++nodes_[0].visits;
  }

  /// Adds a kernel below its first parent, or below the root, and updates all its ancestors.
  void add(const CandidatePtr& candidate) {
    const auto& ancestors = candidate->ancestors;
    const auto found = ancestors.empty() ? by_id_.end() : by_id_.find(ancestors.front().id);
    const std::size_t parent = found == by_id_.end() ? 0 : found->second;
    if (!by_id_.emplace(candidate->id, nodes_.size()).second) return;
    const double value = log_ratio(candidate->evaluation.objective, 1);
    low_ = nodes_.size() == 1 ? value : std::min(low_, value);
    high_ = nodes_.size() == 1 ? value : std::max(high_, value);
    nodes_[parent].children.push_back(nodes_.size());
    nodes_.push_back({candidate, parent, {}, 0, 1, 1, value});
    for (std::size_t at = parent;; at = nodes_[at].parent) {
      nodes_[at].successes += 1;
      nodes_[at].sum += value;
      // Migrants come without a counted attempt.
      nodes_[at].visits = std::max(nodes_[at].visits, nodes_[at].successes);
      if (at == 0) return;
    }
  }

  std::size_t drafts_;
  std::size_t branching_;
  double exploration_;
  std::vector<TreeNode> nodes_ = std::vector<TreeNode>(1);
  std::map<LogicalId, std::size_t> by_id_;
  double low_ = 0;   ///< least ln f seen
  double high_ = 0;  ///< largest ln f seen
};

}  // namespace

std::unique_ptr<Strategy> make_mcts_strategy(Params& params) {
  return std::make_unique<Mcts>(params);
}

}  // namespace ke

// Beam search, level by level [Lowerre1976].
//   beam <- the best `width` kernels told at the start
//   repeat: vary each member of the beam in turn, `branching` times
//           beam <- the best `width` among their children and, with `keep`, the beam itself
// A level closes when as many candidates were told as it asked for, including failures.

#include <algorithm>

#include "core/registry.hpp"
#include "core/strategies/choose.hpp"

namespace ke {
namespace {

class Beam final : public Strategy {
 public:
  explicit Beam(Params& params)
      : width_(static_cast<std::size_t>(
            params.integer("width", 4, {1, 10'000}, "kernels kept from level to level"))),
        branching_(static_cast<std::size_t>(
            params.integer("branching", 4, {1, 10'000}, "children of each kernel of the beam"))),
        keep_(params.flag("keep", true, "parents contend with their children")) {}

  Proposal ask(const IslandView& view, RandomStream& random) override {
    if (auto first = opening(view, random)) return *first;
    if (beam_.empty()) close(best_elites(view.archive));
    return vary(view, beam_[asked_++ % beam_.size()], beam_, random);
  }

  void tell(const Commit& told) override {
    if (is_usable(*told.candidate)) children_.push_back(told.candidate);
    if (beam_.empty() || ++told_ < beam_.size() * branching_) return;
    close(keep_ ? beam_ : std::vector<CandidatePtr>());
  }

 private:
  /// Selects the next beam from the children and `others`. If both are empty the beam stays.
  void close(std::vector<CandidatePtr> others) {
    others.insert(others.end(), children_.begin(), children_.end());
    std::sort(others.begin(), others.end(), is_better);
    const auto same = [](const auto& a, const auto& b) { return a->id == b->id; };
    others.erase(std::unique(others.begin(), others.end(), same), others.end());
    if (others.size() > width_) others.resize(width_);
    if (!others.empty()) beam_ = std::move(others);
    children_.clear();
    asked_ = 0;
    told_ = 0;
  }

  std::size_t width_;
  std::size_t branching_;
  bool keep_;
  std::vector<CandidatePtr> beam_;
  std::vector<CandidatePtr> children_;
  std::size_t asked_ = 0;
  std::size_t told_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_beam_strategy(Params& params) {
  return std::make_unique<Beam>(params);
}

}  // namespace ke

#include "core/strategies/gain_choice.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "core/portable_math.hpp"
#include "core/strategies/choose.hpp"
#include "core/validation.hpp"

namespace ke {
namespace {

constexpr double least_cost = 0.1;  ///< cost of an unmeasured proposal

/// Totals of one operator. All but `under_way` decay.
struct Earnings {
  double told = 0;
  double reward = 0;
  double cost = 0;
  double under_way = 0;
  bool asked = false;

  double asks() const { return told + under_way; }
  double mean_reward() const { return asks() > 0 ? reward / asks() : 0; }
  void fade(double factor) {
    told *= factor;
    reward *= factor;
    cost *= factor;
  }
};

class GainChoice final : public OperatorSelection {
 public:
  explicit GainChoice(Params& params)
      : exploration_(params.real("exploration", 0.3, {0, 100}, "weight of the bonus")),
        fade_(params.real("fade", 0.95, {0.5, 1}, "gain: what a candidate leaves of older ones")),
        cell_(params.real("cell", 0.2, {0, 1}, "gain: weight of what the elite of a cell gained")) {
    Params cost = params.section("cost");
    ask_ = cost.real("ask", 4, {0, 1e6}, "evaluations that one answer of a model counts as");
    per_kilotoken_ =
        cost.real("per_kilotoken", 0, {0, 1e6}, "evaluations that 1000 tokens count as");
  }

  const OperatorChoice* draw(std::span<const OperatorChoice> operators, std::size_t available,
                             RandomStream& random) override {
    std::vector<const OperatorChoice*> served;
    for (const OperatorChoice& choice : operators) {
      const bool fits =
          choice.weight > 0 && !choice.idle && static_cast<std::size_t>(choice.arity) <= available;
      if (fits) served.push_back(&choice);
    }
    if (served.empty()) return nullptr;
    const OperatorChoice* drawn = untried(served, random);
    if (drawn == nullptr) drawn = best(served);
    Earnings& earnings = earnings_[drawn->name];
    earnings.asked = true;
    ++earnings.under_way;
    return drawn;
  }

  void tell(const Commit& told) override {
    const double reward = learn_best(told);
    const auto found = earnings_.find(told.candidate->operator_name);
    // A migrant or an opening seed: this selection did not draw it.
    if (found == earnings_.end() || found->second.under_way == 0) return;
    for (auto& [name, earnings] : earnings_) earnings.fade(fade_);
    Earnings& earnings = found->second;
    --earnings.under_way;
    ++earnings.told;
    earnings.reward += reward;
    earnings.cost += cost_of(told);
  }

 private:
  const OperatorChoice* untried(const std::vector<const OperatorChoice*>& served,
                                RandomStream& random) {
    std::vector<double> weights;
    bool any = false;
    for (const OperatorChoice* choice : served) {
      const bool fresh = !earnings_[choice->name].asked;
      weights.push_back(fresh ? choice->weight : 0);
      any = any || fresh;
    }
    return any ? served[random.weighted(weights)] : nullptr;
  }

  const OperatorChoice* best(const std::vector<const OperatorChoice*>& served) {
    double asks = 0;
    double scale = 0;
    for (const OperatorChoice* choice : served) {
      asks += earnings_[choice->name].asks();
      scale = std::max(scale, earnings_[choice->name].mean_reward());
    }
    const OperatorChoice* best = nullptr;
    double most = 0;
    for (const OperatorChoice* choice : served) {
      const double value = index_of(*choice, asks, scale > 0 ? scale : 1);
      const bool better =
          best == nullptr || value > most || (value == most && choice->weight > best->weight);
      if (!better) continue;
      best = choice;
      most = value;
    }
    return best;
  }

  double index_of(const OperatorChoice& choice, double asks, double scale) {
    const Earnings& earnings = earnings_[choice.name];
    const double own = std::max(earnings.asks(), 1e-9);
    const double bonus = exploration_ * std::sqrt(2 * portable_log(1 + asks) / own);
    const double cost =
        earnings.told > 0 ? earnings.cost / earnings.told : 1 + (choice.asks ? ask_ : 0);
    return (earnings.mean_reward() / scale + bonus) / std::max(cost, least_cost);
  }

  /// The candidate's reward. Updates the island's best.
  double learn_best(const Commit& told) {
    if (!is_usable(*told.candidate)) return 0;
    const double now = worth(told.candidate->evaluation);
    double reward = best_ > 0 ? std::max(0.0, log_ratio(now, best_)) : 0;
    const OfferResult& addition = told.addition;
    if (addition.status == Addition::improved && addition.incumbent) {
      reward += cell_ * std::max(0.0, log_ratio(now, worth(addition.incumbent->evaluation)));
    }
    best_ = std::max(best_, now);
    return reward;
  }

  double cost_of(const Commit& told) const {
    const double tokens = per_kilotoken_ * static_cast<double>(told.use.tokens) / 1000;
    const double cost = (told.candidate->evaluation.measured ? 1 : 0) +
                        ask_ * static_cast<double>(told.use.answers) + tokens;
    return std::max(cost, least_cost);
  }

  double exploration_;
  double fade_;
  double cell_;
  double ask_ = 0;
  double per_kilotoken_ = 0;
  double best_ = 0;  ///< largest worth on the island; 0 = none yet
  std::map<std::string, Earnings> earnings_;
};

}  // namespace

std::unique_ptr<OperatorSelection> make_gain_choice(Params& params) {
  return std::make_unique<GainChoice>(params);
}

}  // namespace ke

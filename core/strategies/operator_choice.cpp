#include "core/strategies/operator_choice.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "core/portable_math.hpp"
#include "core/strategies/choose.hpp"
#include "core/strategies/gain.hpp"
#include "core/validation.hpp"

namespace ke {
namespace {

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

/// The operators that a selection may draw.
using Served = std::vector<const OperatorChoice*>;

Served served_of(std::span<const OperatorChoice> operators, std::size_t available) {
  Served served;
  for (const OperatorChoice& choice : operators) {
    const bool fits =
        choice.weight > 0 && !choice.idle && static_cast<std::size_t>(choice.arity) <= available;
    if (fits) served.push_back(&choice);
  }
  return served;
}

class GainChoice final : public OperatorSelection {
 public:
  explicit GainChoice(Params& params)
      : exploration_(params.real("exploration", 0.3, {0, 100}, "weight of the bonus")),
        fade_(params.real("fade", 0.95, {0.5, 1}, "gain: what a candidate leaves of older ones")),
        cell_(params.real("cell", 0.2, {0, 1}, "gain: weight of what the elite of a cell gained")),
        cost_(read_ask_cost(params)) {}

  const OperatorChoice* draw(std::span<const OperatorChoice> operators, std::size_t available,
                             RandomStream& random) override {
    const Served served = served_of(operators, available);
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
    earnings.cost += cost_.of(told);
  }

 private:
  const OperatorChoice* untried(const Served& served, RandomStream& random) {
    std::vector<double> weights;
    bool any = false;
    for (const OperatorChoice* choice : served) {
      const bool fresh = !earnings_[choice->name].asked;
      weights.push_back(fresh ? choice->weight : 0);
      any = any || fresh;
    }
    return any ? served[random.weighted(weights)] : nullptr;
  }

  const OperatorChoice* best(const Served& served) {
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
        earnings.told > 0 ? earnings.cost / earnings.told : 1 + (choice.asks ? cost_.ask : 0);
    return (earnings.mean_reward() / scale + bonus) / std::max(cost, least_cost);
  }

  /// The candidate's reward. Updates the island's best.
  double learn_best(const Commit& told) {
    double reward = best_.gain(*told.candidate);
    const OfferResult& addition = told.addition;
    if (is_usable(*told.candidate) && addition.status == Addition::improved && addition.incumbent) {
      const double now = worth(told.candidate->evaluation);
      reward += cell_ * std::max(0.0, log_ratio(now, worth(addition.incumbent->evaluation)));
    }
    return reward;
  }

  double exploration_;
  double fade_;
  double cell_;
  AskCost cost_;
  BestWorth best_;
  std::map<std::string, Earnings> earnings_;
};

/// Statistics of one operator.
struct Credit {
  double asked = 0;
  double told = 0;
  double reward = 0;       ///< sum over told
  double quality = 1;      ///< exponential average of the reward; optimistic at first
  double probability = 0;  ///< adaptive_pursuit only; 0 = not set yet
};

/// Determines the credited name and the reward for a candidate.
class Crediting {
 public:
  virtual ~Crediting() = default;
  virtual const std::string& name(const Commit& told) const {
    return told.candidate->operator_name;
  }
  virtual double reward(const Commit& told) const {
    return has_entered(told.addition.status) ? 1 : 0;
  }
};

/// Credits models, with rewards discounted by cost.
class ModelCrediting final : public Crediting {
 public:
  explicit ModelCrediting(Params& params)
      : per_dollar_(params.real("per_dollar", 0, {0, 1e9},
                                "how much a dollar of exchanges discounts a new elite; 0 = not")),
        per_kilotoken_(params.real("per_kilotoken", 0, {0, 1e9},
                                   "how much 1000 tokens, read or written, discount it")) {}
  const std::string& name(const Commit& told) const override { return told.use.model; }
  double reward(const Commit& told) const override {
    const double kilotokens = static_cast<double>(told.use.tokens) / 1000;
    return Crediting::reward(told) /
           (1 + per_dollar_ * told.use.dollars + per_kilotoken_ * kilotokens);
  }

 private:
  double per_dollar_;
  double per_kilotoken_;
};

/// Credits the hints that letters carried.
class HintCrediting final : public Crediting {
 public:
  const std::string& name(const Commit& told) const override { return told.use.hint; }
};

/// Counts asks and rewards; subclasses choose from them.
class Bandit : public OperatorSelection {
 public:
  explicit Bandit(std::unique_ptr<Crediting> crediting) : crediting_(std::move(crediting)) {}

  const OperatorChoice* draw(std::span<const OperatorChoice> operators, std::size_t available,
                             RandomStream& random) override {
    const Served served = served_of(operators, available);
    if (served.empty()) return nullptr;
    const OperatorChoice* drawn = served[pick(served, random)];
    ++credit(*drawn).asked;
    return drawn;
  }

  void tell(const Commit& told) override {
    const auto found = credits_.find(crediting_->name(told));
    // More told than asked: a migrant or an opening seed.
    if (found == credits_.end() || found->second.told >= found->second.asked) return;
    ++found->second.told;
    learn(found->second, crediting_->reward(told));
  }

 protected:
  virtual std::size_t pick(const Served& served, RandomStream& random) = 0;
  virtual void learn(Credit& credit, double reward) = 0;
  Credit& credit(const OperatorChoice& choice) { return credits_[choice.name]; }

 private:
  std::unique_ptr<Crediting> crediting_;
  std::map<std::string, Credit> credits_;
};

class Ucb final : public Bandit {
 public:
  Ucb(Params& params, std::unique_ptr<Crediting> crediting)
      : Bandit(std::move(crediting)),
        exploration_(params.real("exploration", 0.5, {0, 100}, "ucb: weight of the bonus")) {}

 private:
  std::size_t pick(const Served& served, RandomStream& random) override {
    std::vector<double> untried;
    double asked = 0;
    for (const OperatorChoice* choice : served) {
      untried.push_back(credit(*choice).asked > 0 ? 0 : choice->weight);
      asked += credit(*choice).asked;
    }
    const bool any = std::any_of(untried.begin(), untried.end(), [](double w) { return w > 0; });
    return any ? random.weighted(untried) : largest(served, asked);
  }

  /// Unfinished asks count as told without a reward, so that a lag does not repeat one operator.
  std::size_t largest(const Served& served, double asked) {
    std::vector<double> values;
    for (const OperatorChoice* choice : served) {
      const Credit& known = credit(*choice);
      values.push_back(known.reward / known.asked +
                       exploration_ * std::sqrt(2 * portable_log(asked) / known.asked));
    }
    return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) -
                                    values.begin());
  }

  void learn(Credit& credit, double reward) override { credit.reward += reward; }

  double exploration_;
};

/// The minimum share of each operator, limited so that `count` shares fit.
double fitting_floor(double floor, std::size_t count) {
  return std::min(floor, 1.0 / static_cast<double>(count));
}

class ProbabilityMatching : public Bandit {
 public:
  ProbabilityMatching(Params& params, std::unique_ptr<Crediting> crediting)
      : Bandit(std::move(crediting)),
        rate_(params.real("rate", 0.1, {1e-6, 1}, "how fast older rewards fade")),
        floor_(params.real("floor", 0.05, {0, 1}, "least probability of an operator")) {}

 protected:
  std::size_t pick(const Served& served, RandomStream& random) override {
    double sum = 0;
    for (const OperatorChoice* choice : served) sum += credit(*choice).quality;
    const double floor = fitting_floor(floor_, served.size());
    const double rest = 1 - floor * static_cast<double>(served.size());
    std::vector<double> weights;
    for (const OperatorChoice* choice : served) {
      const double share =
          sum > 0 ? credit(*choice).quality / sum : 1 / static_cast<double>(served.size());
      weights.push_back(choice->weight * (floor + rest * share));
    }
    const bool any = std::any_of(weights.begin(), weights.end(), [](double w) { return w > 0; });
    return any ? random.weighted(weights) : 0;
  }
  void learn(Credit& credit, double reward) override {
    credit.quality += rate_ * (reward - credit.quality);
  }

  double rate_;
  double floor_;
};

class AdaptivePursuit final : public ProbabilityMatching {
 public:
  using ProbabilityMatching::ProbabilityMatching;

 private:
  std::size_t pick(const Served& served, RandomStream& random) override {
    const auto count = static_cast<double>(served.size());
    const double floor = fitting_floor(floor_, served.size());
    std::size_t best = 0;
    for (std::size_t i = 1; i < served.size(); ++i) {
      if (credit(*served[i]).quality > credit(*served[best]).quality) best = i;
    }
    std::vector<double> weights;
    for (std::size_t i = 0; i < served.size(); ++i) {
      double& p = credit(*served[i]).probability;
      if (p == 0) p = 1 / count;
      p += rate_ * ((i == best ? 1 - (count - 1) * floor : floor) - p);
      weights.push_back(served[i]->weight * p);
    }
    return random.weighted(weights);
  }
};

std::unique_ptr<OperatorSelection> make_choice(Params& params, const std::string& kind,
                                               std::unique_ptr<Crediting> crediting) {
  if (kind == "ucb") return std::make_unique<Ucb>(params, std::move(crediting));
  if (kind == "probability_matching") {
    return std::make_unique<ProbabilityMatching>(params, std::move(crediting));
  }
  if (kind == "adaptive_pursuit") {
    return std::make_unique<AdaptivePursuit>(params, std::move(crediting));
  }
  return nullptr;
}

const std::vector<std::string> kinds = {"weights", "ucb", "probability_matching",
                                        "adaptive_pursuit"};

}  // namespace

std::unique_ptr<OperatorSelection> read_operator_choice(Params& params) {
  std::vector<std::string> allowed = kinds;
  allowed.emplace_back("gain");
  const std::string kind =
      params.choice("kind", "weights", allowed,
                    "how an operator is drawn: by its weight, or by what it has achieved");
  if (kind == "gain") return std::make_unique<GainChoice>(params);
  return make_choice(params, kind, std::make_unique<Crediting>());
}

bool read_skip_idle(Params& params) {
  return params.added("false").flag("skip_idle", true,
                                    "do not draw operators that have nothing to do");
}

std::unique_ptr<OperatorSelection> read_model_choice(Params& params) {
  const std::string kind = params.choice(
      "kind", "weights", kinds, "how a model is drawn: by its weight, or by what it has achieved");
  return make_choice(params, kind, std::make_unique<ModelCrediting>(params));
}

std::unique_ptr<OperatorSelection> read_hint_choice(Params& params) {
  const std::string kind = params.choice(
      "kind", "ucb", kinds, "how a hint is drawn: evenly, or by the elites that it led to");
  return make_choice(params, kind, std::make_unique<HintCrediting>());
}

}  // namespace ke

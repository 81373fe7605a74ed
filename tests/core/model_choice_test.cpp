#include <gtest/gtest.h>

#include "core/strategies/operator_choice.hpp"
#include "tests/support/options.hpp"

namespace ke {
namespace {

/// A model: the probability of an elite, and the price of a call.
struct Model {
  const char* name;
  double success;
  double dollars;
  std::int64_t tokens = 0;
};

std::unique_ptr<OperatorSelection> selection(std::map<std::string, Node> given) {
  const Node node = test::options(given);
  ParamLog log;
  Params params(&node, "", log);
  auto made = read_model_choice(params);
  log.report_unknown();
  EXPECT_TRUE(log.errors.empty()) << log.errors.front();
  return made;
}

/// Counts the draws of each model in `steps` steps, each told at once.
std::map<std::string, int> draws(OperatorSelection& selection, const std::vector<Model>& models,
                                 int steps) {
  std::vector<OperatorChoice> choices;
  for (const Model& model : models) choices.push_back({model.name, 0, 1});
  std::map<std::string, int> counts;
  for (int step = 0; step < steps; ++step) {
    RandomStream random({1, 0, step, 0, Purpose::model});
    RandomStream luck({1, 0, step, 0, Purpose::test});
    const std::string name = selection.draw(choices, 0, random)->name;
    ++counts[name];
    const Model& model =
        *std::find_if(models.begin(), models.end(), [&](const Model& m) { return m.name == name; });
    auto candidate = std::make_shared<Candidate>();
    candidate->operator_name = "llm_mutation";
    Commit told{candidate, {}, {name, model.tokens, model.dollars}};
    told.addition.status = luck.uniform() < model.success ? Addition::new_cell : Addition::rejected;
    selection.tell(told);
  }
  return counts;
}

// Expected rewards: 0.9 against 0.6; with a price of 1 a dollar, 0.9 / 2 against 0.6.
const std::vector<Model> dear_and_cheap{{"dear", 0.9, 1}, {"cheap", 0.6, 0}};

TEST(ModelChoice, without_costs_the_better_model_is_asked_most) {
  for (const char* kind : {"ucb", "probability_matching", "adaptive_pursuit"}) {
    const auto counts = draws(*selection({{"kind", test::scalar(kind)}}), dear_and_cheap, 1000);
    EXPECT_GT(counts.at("dear"), counts.at("cheap")) << kind;
  }
}

TEST(ModelChoice, with_costs_the_model_that_is_worth_its_price_is_asked_most) {
  for (const char* kind : {"ucb", "probability_matching", "adaptive_pursuit"}) {
    const auto counts =
        draws(*selection({{"kind", test::scalar(kind)}, {"per_dollar", test::scalar("1")}}),
              dear_and_cheap, 1000);
    EXPECT_GT(counts.at("cheap"), counts.at("dear")) << kind;
  }
}

TEST(ModelChoice, tokens_cost_where_dollars_do_not) {
  const std::vector<Model> models{{"wordy", 0.9, 0, 2000}, {"terse", 0.6, 0, 0}};
  const auto counts =
      draws(*selection({{"kind", test::scalar("ucb")}, {"per_kilotoken", test::scalar("0.5")}}),
            models, 1000);
  EXPECT_GT(counts.at("terse"), counts.at("wordy"));
}

TEST(ModelChoice, candidates_without_a_drawn_model_earn_nothing) {
  const auto ucb = selection({{"kind", test::scalar("ucb")}, {"exploration", test::scalar("0")}});
  const std::vector<OperatorChoice> models{{"a", 0, 1}, {"b", 0, 1}};
  RandomStream random({1, 0, 0, 0, Purpose::model});
  EXPECT_NE(ucb->draw(models, 0, random)->name, ucb->draw(models, 0, random)->name);
  auto other = std::make_shared<Candidate>();
  other->operator_name = "b";  // an operator of the same name must not count as the model
  Commit told{other, {}};
  told.addition.status = Addition::new_cell;
  ucb->tell(told);
  EXPECT_EQ(ucb->draw(models, 0, random)->name, "a");  // tie without data: the first one
}

TEST(ModelChoice, fixed_weights_need_no_state) { EXPECT_EQ(selection({}), nullptr); }

}  // namespace
}  // namespace ke

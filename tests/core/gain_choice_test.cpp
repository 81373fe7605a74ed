#include "core/strategies/operator_choice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "core/validation.hpp"
#include "tests/support/options.hpp"

namespace ke {
namespace {

/// An operator, and the gain over the best of the candidate from its k-th draw, as a factor.
struct Arm {
  const char* name;
  bool asks;
  std::function<double(int k)> gain;
};

double nothing(int) { return 1; }

std::unique_ptr<OperatorSelection> gain_choice(std::map<std::string, Node> given = {}) {
  given.emplace("kind", test::scalar("gain"));
  const Node node = test::options(given);
  ParamLog log;
  Params params(&node, "", log);
  auto made = read_operator_choice(params);
  log.report_unknown();
  EXPECT_TRUE(log.errors.empty()) << log.errors.front();
  return made;
}

std::shared_ptr<Candidate> kernel(const std::string& name, double objective) {
  auto candidate = std::make_shared<Candidate>();
  candidate->operator_name = name;
  candidate->evaluation.verdict = Verdict::ok;
  candidate->evaluation.objective = objective;
  candidate->evaluation.measured = true;
  return candidate;
}

/// Plays `steps` draws and tells each at once; returns the drawn names in order.
std::vector<std::string> play(OperatorSelection& selection, const std::vector<Arm>& arms,
                              int steps) {
  std::vector<OperatorChoice> choices;
  for (const Arm& arm : arms) choices.push_back({arm.name, 0, 1, arm.asks});
  std::map<std::string, int> draws;
  std::vector<std::string> drawn;
  double best = 1;
  selection.tell({kernel("seed_source", best), {}});
  for (int step = 0; step < steps; ++step) {
    RandomStream random({1, 0, step, 0, Purpose::ask});
    const std::string name = selection.draw(choices, 0, random)->name;
    drawn.push_back(name);
    for (const Arm& arm : arms) {
      if (name != arm.name) continue;
      const double objective = best * arm.gain(draws[name]++);
      best = std::max(best, objective);
      ModelUse use;
      use.answers = arm.asks ? 1 : 0;
      selection.tell({kernel(name, objective), {}, use});
    }
  }
  return drawn;
}

std::map<std::string, int> counted(const std::vector<std::string>& names, std::size_t from = 0) {
  std::map<std::string, int> counts;
  for (std::size_t i = from; i < names.size(); ++i) ++counts[names[i]];
  return counts;
}

TEST(GainChoice, spends_most_on_the_operator_that_gains) {
  const auto drawn = play(
      *gain_choice(), {{"pays", false, [](int) { return 1.02; }}, {"idle", false, nothing}}, 60);
  EXPECT_GT(counted(drawn)["pays"], 40);
}

TEST(GainChoice, of_equal_gains_the_cheaper_one_is_drawn_more) {
  const auto same = [](int) { return 1.02; };
  const auto drawn = play(*gain_choice(), {{"model", true, same}, {"step", false, same}}, 60);
  EXPECT_GT(counted(drawn)["step"], 2 * counted(drawn)["model"]);
}

TEST(GainChoice, most_of_the_budget_goes_to_a_model_that_is_worth_its_price) {
  const auto drawn = play(
      *gain_choice(),
      {{"model", true, [](int) { return 1.5; }}, {"step", false, [](int) { return 1.01; }}}, 60);
  const int spent = 5 * counted(drawn)["model"];  // one answer and one evaluation each
  EXPECT_GT(spent, 2 * counted(drawn)["step"]);
}

TEST(GainChoice, moves_on_when_an_operator_no_longer_pays) {
  const auto drawn = play(*gain_choice(),
                          {{"early", false, [](int k) { return k < 15 ? 1.05 : 1.0; }},
                           {"steady", false, [](int) { return 1.01; }}},
                          120);
  EXPECT_GT(counted({drawn.begin(), drawn.begin() + 20})["early"], 12);
  EXPECT_GT(counted(drawn, 80)["steady"], 25);
}

TEST(GainChoice, lets_no_operator_starve) {
  const auto drawn = play(*gain_choice(),
                          {{"pays", false, [](int) { return 1.05; }},
                           {"never", false, nothing},
                           {"dear", true, nothing}},
                          300);
  EXPECT_GE(counted(drawn, 150)["never"], 3);
  EXPECT_GE(counted(drawn, 150)["dear"], 1);
}

TEST(GainChoice, spreads_asks_while_answers_are_under_way) {
  const auto selection = gain_choice();
  const std::vector<OperatorChoice> choices{{"a", 0, 1}, {"b", 0, 1}, {"c", 0, 1}};
  std::map<std::string, int> counts;
  for (int step = 0; step < 30; ++step) {
    RandomStream random({1, 0, step, 0, Purpose::ask});
    ++counts[selection->draw(choices, 0, random)->name];
  }
  for (const auto& choice : choices) EXPECT_EQ(counts[choice.name], 10);
}

TEST(GainChoice, draws_no_idle_operator) {
  const auto selection = gain_choice();
  std::vector<OperatorChoice> choices{{"a", 0, 1}, {"b", 0, 1}, {"c", 2, 1}};
  choices[0].idle = true;
  RandomStream random({1, 0, 0, 0, Purpose::ask});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(selection->draw(choices, 1, random), &choices[1]);
  choices[1].idle = true;
  EXPECT_EQ(selection->draw(choices, 1, random), nullptr);
}

TEST(GainChoice, a_cell_improved_counts_less_than_the_best_improved) {
  const auto selection = gain_choice({{"exploration", test::scalar("0")}});
  const std::vector<OperatorChoice> choices{{"cell", 0, 1}, {"best", 0, 1}};
  selection->tell({kernel("seed_source", 2), {}});
  RandomStream random({1, 0, 0, 0, Purpose::ask});
  for (int i = 0; i < 2; ++i) {
    const std::string name = selection->draw(choices, 0, random)->name;
    OfferResult added;
    added.status = Addition::improved;
    added.incumbent = kernel("x", 1.0);
    if (name == "cell") selection->tell({kernel("cell", 1.1), added});
    if (name == "best") selection->tell({kernel("best", 2.2), {}});
  }
  EXPECT_EQ(selection->draw(choices, 0, random)->name, "best");
}

TEST(GainChoice, the_bench_figure_of_a_specialist_is_no_gain) {
  const auto selection = gain_choice({{"exploration", test::scalar("0")}});
  const std::vector<OperatorChoice> choices{{"honest", 0, 1}, {"special", 0, 1}};
  selection->tell({kernel("seed_source", 1), {}});
  RandomStream random({1, 0, 0, 0, Purpose::ask});
  for (int i = 0; i < 2; ++i) {
    const std::string name = selection->draw(choices, 0, random)->name;
    auto child = kernel(name, name == "special" ? 5 : 1.01);
    if (name == "special") add_validation(0.3, {0.28, 0.32}, 0.01, child->evaluation);
    selection->tell({child, {}});
  }
  EXPECT_EQ(selection->draw(choices, 0, random)->name, "honest");
}

TEST(GainChoice, is_no_way_to_draw_models) {
  const Node node = test::options({{"kind", test::scalar("gain")}});
  ParamLog log;
  Params params(&node, "", log);
  read_model_choice(params);
  ASSERT_EQ(log.errors.size(), 1u);
  EXPECT_NE(log.errors[0].find("gain"), std::string::npos);
}

}  // namespace
}  // namespace ke

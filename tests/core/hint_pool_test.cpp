#include "core/search/hint_pool.hpp"

#include <gtest/gtest.h>

#include <set>

#include "core/strategies/operator_choice.hpp"

namespace ke {
namespace {

class NoEdits final : public HintEditor {
 public:
  LlmRequest request(const Hint&, const HintCredit&) const override { return {}; }
  HintEdit read(const Exchange&) const override { return {}; }
};

HintPool pool(std::size_t size = 8) {
  ParamLog log;
  Params defaults(nullptr, "", log);
  HintPlan plan;
  plan.first = {{"a", "", "A\n"}, {"b", "", "B\n"}, {"c", "", "C\n"}};
  plan.editor = std::make_shared<NoEdits>();
  plan.size = size;
  plan.selection = read_hint_choice(defaults);
  return HintPool(std::move(plan));
}

std::string draw(HintPool& hints, std::int64_t step) {
  RandomStream random({1, 0, step, 0, Purpose::hint});
  return hints.draw(random).id;
}

CandidatePtr kernel(double objective, Verdict verdict = Verdict::ok) {
  auto candidate = std::make_shared<Candidate>();
  candidate->evaluation.verdict = verdict;
  candidate->evaluation.objective = objective;
  return candidate;
}

Commit told(const std::string& hint, bool elite, CandidatePtr child = kernel(1)) {
  Commit commit{std::move(child), {}, {}};
  commit.use.hint = hint;
  commit.addition.status = elite ? Addition::improved : Addition::rejected;
  return commit;
}

TEST(HintPool, each_hint_is_tried_and_the_one_that_leads_to_elites_is_drawn_most) {
  HintPool hints = pool();
  std::set<std::string> first;
  std::map<std::string, int> counts;
  for (std::int64_t step = 0; step < 200; ++step) {
    const std::string id = draw(hints, step);
    if (step < 3) first.insert(id);
    ++counts[id];
    hints.tell(told(id, id == "b" || step % 10 == 0), {}, {});
  }
  EXPECT_EQ(first.size(), 3u);
  EXPECT_GT(counts["b"], 120);
}

TEST(HintPool, a_hint_is_credited_with_what_its_children_became) {
  HintPool hints = pool();
  const std::vector<Parent> parents{{kernel(2), ParentRole::parent},
                                    {kernel(4), ParentRole::parent},
                                    {kernel(100), ParentRole::inspiration},
                                    {kernel(100, Verdict::timeout), ParentRole::failed}};
  hints.tell(told("a", true, kernel(5)), parents, {});
  hints.tell(told("a", false, kernel(3)), parents, {});
  hints.tell(told("a", false, kernel(9, Verdict::wrong_result)), parents, {});
  hints.tell(told("a", true, kernel(50)), {}, {});  // a draft has no parent to gain over
  hints.tell(told("", true), {}, {});
  const HintCredit& credit = hints.credit({"a", "", ""});
  EXPECT_EQ(credit.children, 4);
  EXPECT_EQ(credit.right, 3);
  EXPECT_EQ(credit.elites, 2);
  EXPECT_EQ(credit.best_gain, 1.25);
}

TEST(HintPool, a_new_hint_is_drawn_next_and_a_known_one_changes_nothing) {
  HintPool hints = pool();
  for (std::int64_t step = 0; step < 6; ++step) hints.tell(told(draw(hints, step), true), {}, {});
  HintPool same = pool();
  for (std::int64_t step = 0; step < 6; ++step) {
    same.tell(told(draw(same, step), true), {}, {Hint{"a", "b", "A\n"}});
  }
  EXPECT_EQ(draw(hints, 6), draw(same, 6));
  hints.tell(told("a", true), {}, {Hint{"d", "a", "D\n"}});
  EXPECT_EQ(draw(hints, 7), "d");
}

TEST(HintPool, a_full_pool_loses_the_hint_with_the_fewest_elites_per_child) {
  HintPool hints = pool(3);
  hints.tell(told("a", true), {}, {});
  hints.tell(told("b", true), {}, {});
  hints.tell(told("b", false), {}, {Hint{"d", "a", "D\n"}});  // b goes; c and d are untried
  std::set<std::string> drawn;
  for (std::int64_t step = 0; step < 40; ++step) {
    drawn.insert(draw(hints, step));
    hints.tell(told(draw(hints, step), false), {}, {});
  }
  EXPECT_EQ(drawn, (std::set<std::string>{"a", "c", "d"}));
}

TEST(HintPool, draws_and_edits_repeat_exactly) {
  HintPool one = pool(4), two = pool(4);
  for (std::int64_t step = 0; step < 300; ++step) {
    const std::string id = draw(one, step);
    ASSERT_EQ(draw(two, step), id);
    HintEdit edit;
    if (step % 7 == 0) edit.hint = Hint{"e" + std::to_string(step), id, ""};
    for (HintPool* pool : {&one, &two}) pool->tell(told(id, step % 3 == 0), {}, edit);
  }
}

}  // namespace
}  // namespace ke

#pragma once
// Conformance suite for every Archive. A fixture provides `make(rule)`: an archive of at least four
// cells, and `at(id, objective, n)`: an ok candidate; candidates of equal n share one cell of a
// full archive.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "archive/acceptance.hpp"
#include "core/archive.hpp"

namespace ke::test {

inline std::shared_ptr<Candidate> candidate_at(int step, double objective,
                                               std::map<std::string, double> measures) {
  auto made = std::make_shared<Candidate>();
  made->id = {step, 0, 0};
  made->evaluation.verdict = Verdict::ok;
  made->evaluation.objective = objective;
  made->evaluation.measures = std::move(measures);
  return made;
}

template <typename Fixture>
class ArchiveSuite : public testing::Test {
 protected:
  std::unique_ptr<Archive> point() { return fixture_.make(std::make_shared<PointRule>()); }
  std::unique_ptr<Archive> noisy() { return fixture_.make(std::make_shared<NoisyDuelRule>(0.05)); }
  CandidatePtr at(int step, double objective, int n) { return fixture_.at(step, objective, n); }
  Fixture fixture_;
};

TYPED_TEST_SUITE_P(ArchiveSuite);

TYPED_TEST_P(ArchiveSuite, begins_empty_and_takes_the_first) {
  auto archive = this->point();
  EXPECT_TRUE(archive->elites().empty());
  EXPECT_GE(archive->cells(), 4u);
  const auto first = this->at(0, 1.5, 0);
  const OfferResult added = archive->offer(first);
  EXPECT_EQ(added.status, Addition::new_cell);
  EXPECT_EQ(added.incumbent, nullptr);
  EXPECT_DOUBLE_EQ(added.gain, 1.5);
  ASSERT_EQ(archive->elites().size(), 1u);
  EXPECT_EQ(archive->elites()[0].candidate, first);
  EXPECT_EQ(archive->cell_of(*first), added.cell);
}

TYPED_TEST_P(ArchiveSuite, only_the_strictly_greater_takes_an_occupied_cell) {
  auto archive = this->point();
  const auto first = this->at(0, 2, 0);
  archive->offer(first);
  const OfferResult equal = archive->offer(this->at(1, 2, 0));
  EXPECT_EQ(equal.status, Addition::rejected);
  EXPECT_EQ(equal.incumbent, first);
  const OfferResult better = archive->offer(this->at(2, 2.25, 0));
  EXPECT_EQ(better.status, Addition::improved);
  EXPECT_EQ(better.incumbent, first);
  EXPECT_DOUBLE_EQ(better.gain, 0.25);
  EXPECT_EQ(archive->elites().size(), 1u);
}

TYPED_TEST_P(ArchiveSuite, a_duel_changes_nothing_until_it_is_won) {
  auto archive = this->noisy();
  const auto first = this->at(0, 2, 0);
  archive->offer(first);
  const auto challenger = this->at(1, 1.95, 0);
  EXPECT_EQ(archive->offer(challenger).status, Addition::duel_needed);
  EXPECT_EQ(archive->elites()[0].candidate, first);
  EXPECT_EQ(archive->offer(challenger, Decision::undecided).status, Addition::rejected);
  EXPECT_EQ(archive->offer(challenger, Decision::worse).status, Addition::rejected);
  EXPECT_EQ(archive->elites()[0].candidate, first);
  EXPECT_EQ(archive->offer(challenger, Decision::better).status, Addition::improved);
  EXPECT_EQ(archive->elites()[0].candidate, challenger);
}

TYPED_TEST_P(ArchiveSuite, a_hopeless_screen_fights_no_duel) {
  auto archive = this->noisy();
  archive->offer(this->at(0, 2, 0));
  EXPECT_EQ(archive->offer(this->at(1, 1.89, 0)).status, Addition::rejected);
}

TYPED_TEST_P(ArchiveSuite, an_elite_never_challenges_itself) {
  auto archive = this->noisy();
  const auto first = this->at(0, 2, 0);
  archive->offer(first);
  EXPECT_EQ(archive->offer(first).status, Addition::rejected);
}

TYPED_TEST_P(ArchiveSuite, an_objective_that_is_no_number_is_rejected) {
  auto archive = this->point();
  EXPECT_EQ(archive->offer(this->at(0, std::nan(""), 0)).status, Addition::rejected);
  EXPECT_TRUE(archive->elites().empty());
}

TYPED_TEST_P(ArchiveSuite, elites_are_ordered_by_cell) {
  auto archive = this->point();
  for (int n : {3, 1, 2, 0}) archive->offer(this->at(n, 1 + n, n));
  ASSERT_EQ(archive->elites().size(), 4u);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_LT(archive->elites()[i - 1].cell, archive->elites()[i].cell);
  }
  EXPECT_DOUBLE_EQ(qd_score(*archive), 1 + 2 + 3 + 4);
}

REGISTER_TYPED_TEST_SUITE_P(ArchiveSuite, begins_empty_and_takes_the_first,
                            only_the_strictly_greater_takes_an_occupied_cell,
                            a_duel_changes_nothing_until_it_is_won,
                            a_hopeless_screen_fights_no_duel, an_elite_never_challenges_itself,
                            an_objective_that_is_no_number_is_rejected, elites_are_ordered_by_cell);

}  // namespace ke::test

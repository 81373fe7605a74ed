#include "experiments/view/report/data/credit.hpp"

#include <gtest/gtest.h>

namespace ke {
namespace {

/// Kernel 0 has lines a and b; its child 1 drops b; that one's child 2 adds b again, and c.
RunRows three_generations() {
  RunRows rows;
  rows.sources = {"int a;\nint b;\n", "int a;\n", "int a;\nint b;\nint c;\n"};
  for (std::int64_t i = 0; i < 3; ++i) {
    GenomeRow genome;
    genome.source = i;
    rows.genomes.push_back(genome);
    CandidateRow candidate;
    candidate.id = {i, 0, 0};
    candidate.operator_name = i == 0 ? "seed_source" : i == 1 ? "llm_mutation" : "llm_restructure";
    candidate.outcome = "kernel";
    candidate.verdict = "ok";
    candidate.objective = 1;
    candidate.genome = i;
    rows.candidates.push_back(candidate);
    if (i > 0) rows.parents.push_back({i, i - 1, "parent"});
  }
  return rows;
}

TEST(Credit, states_the_share_of_added_lines_that_an_ancestor_had) {
  const auto credits = credit_by_operator(three_generations());
  EXPECT_EQ(credits.at("llm_mutation").added_lines, 0);
  EXPECT_EQ(credits.at("llm_restructure").added_lines, 2);
  EXPECT_EQ(credits.at("llm_restructure").reintroduced_lines, 1);
  const Json json = credit_json(credits);
  EXPECT_EQ(json[0]["name"], "llm_mutation");
  EXPECT_TRUE(json[0]["reintroduced"].is_null());
  EXPECT_EQ(json[1]["reintroduced"], 0.5);
}

TEST(Credit, a_child_without_a_parent_is_held_against_its_inspiration) {
  RunRows rows = three_generations();
  rows.parents.back().role = "inspiration";
  rows.candidates.back().objective = 2;
  EXPECT_EQ(credit_by_operator(rows).at("llm_restructure").tried, 1);
  EXPECT_EQ(credit_by_operator(rows).at("llm_restructure").improved, 1);
  rows.parents.back().role = "failed";
  EXPECT_EQ(credit_by_operator(rows).at("llm_restructure").tried, 0);
}

TEST(Credit, points_of_one_source_add_no_lines) {
  RunRows rows = three_generations();
  for (GenomeRow& genome : rows.genomes) genome.source = 0;
  for (const auto& [name, credit] : credit_by_operator(rows)) EXPECT_EQ(credit.added_lines, 0);
}

}  // namespace
}  // namespace ke

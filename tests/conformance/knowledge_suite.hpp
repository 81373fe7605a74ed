#pragma once
// Conformance suite for every KnowledgeIndex. A fixture provides `KnowledgeIndex& knowledge()` and
// `reopen()`.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/knowledge_index.hpp"

namespace ke::test {

template <typename Fixture>
class KnowledgeSuite : public testing::Test {
 protected:
  void SetUp() override {
    add({"tile", "Tiling", "Tile loops so that a block stays in the cache.", 0});
    add({"simd", "Vector width", "Use wide vectors; a cache line holds eight doubles.", 2});
    add({"late", "Cache cache cache", "cache", 5});
  }
  void add(const Passage& passage) { fixture_.knowledge().add(passage); }
  std::vector<std::string> ids(std::string_view query, std::int64_t step, std::size_t limit = 9) {
    std::vector<std::string> found;
    for (const auto& passage : fixture_.knowledge().search(query, step, limit)) {
      found.push_back(passage.id);
    }
    return found;
  }
  Fixture fixture_;
};

using Ids = std::vector<std::string>;

TYPED_TEST_SUITE_P(KnowledgeSuite);

TYPED_TEST_P(KnowledgeSuite, finds_words_in_any_case_best_first) {
  EXPECT_EQ(this->ids("VECTORS", 9), Ids{"simd"});
  EXPECT_EQ(this->ids("cache", 9), (Ids{"late", "simd", "tile"}));
  EXPECT_EQ(this->ids("no such thing", 9), Ids{});
  EXPECT_EQ(this->ids("", 9), Ids{});
}

TYPED_TEST_P(KnowledgeSuite, gives_only_what_was_known_before_the_step) {
  EXPECT_EQ(this->ids("cache", 0), Ids{});
  EXPECT_EQ(this->ids("cache", 1), Ids{"tile"});
  EXPECT_EQ(this->ids("cache", 2), Ids{"tile"});
  EXPECT_EQ(this->ids("cache", 3).size(), 2u);
}

TYPED_TEST_P(KnowledgeSuite, later_passages_do_not_change_an_earlier_answer) {
  const auto before = this->ids("block vectors cache", 4);
  for (int i = 0; i < 20; ++i) this->add({"n" + std::to_string(i), "block", "block block", 7});
  EXPECT_EQ(this->ids("block vectors cache", 4), before);
}

TYPED_TEST_P(KnowledgeSuite, limits_and_breaks_ties_by_id) {
  this->add({"b", "same", "words", 1});
  this->add({"a", "same", "words", 1});
  EXPECT_EQ(this->ids("same", 9), (Ids{"a", "b"}));
  EXPECT_EQ(this->ids("same", 9, 1), Ids{"a"});
}

TYPED_TEST_P(KnowledgeSuite, a_second_passage_of_an_id_replaces_the_first) {
  this->add({"tile", "Fusion", "Fuse loops.", 0});
  this->fixture_.reopen();
  EXPECT_EQ(this->ids("tiling", 9), Ids{});
  EXPECT_EQ(this->ids("fuse", 9), Ids{"tile"});
}

TYPED_TEST_P(KnowledgeSuite, quotes_and_operators_are_mere_text) {
  EXPECT_EQ(this->ids("\"vectors AND NOT ( * ^ -", 9), Ids{"simd"});
}

REGISTER_TYPED_TEST_SUITE_P(KnowledgeSuite, finds_words_in_any_case_best_first,
                            gives_only_what_was_known_before_the_step,
                            later_passages_do_not_change_an_earlier_answer,
                            limits_and_breaks_ties_by_id,
                            a_second_passage_of_an_id_replaces_the_first,
                            quotes_and_operators_are_mere_text);

}  // namespace ke::test

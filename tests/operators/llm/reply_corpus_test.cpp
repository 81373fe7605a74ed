#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/language.hpp"
#include "operators/llm/lines.hpp"
#include "operators/llm/patch.hpp"
#include "tests/operators/llm/corpus.hpp"

namespace ke {
namespace {

Edit<std::string> edited(const ReplySample& sample, const EditableSource& parent) {
  if (sample.mode == "diff") return patch_by_reply(parent, sample.reply);
  return rewrite_by_reply(parent, rule_of(sample, parent.text), sample.reply);
}

void expect_source(const ReplySample& sample, const Edit<std::string>& edit) {
  const auto* failed = std::get_if<EditFailure>(&edit);
  ASSERT_EQ(failed, nullptr) << failed->reason << ": " << failed->message;
  EXPECT_EQ(std::get<0>(edit), sample.source);
}

void expect_failure(const ReplySample& sample, const Edit<std::string>& edit) {
  const auto* failed = std::get_if<EditFailure>(&edit);
  ASSERT_NE(failed, nullptr) << "came out as\n" << std::get<0>(edit).substr(0, 300);
  EXPECT_EQ(failed->reason, sample.expected) << failed->message;
  EXPECT_LE(failed->message.size(), longest_message);
  EXPECT_TRUE(is_text(failed->message));
  for (const auto& part : sample.says) {
    EXPECT_NE(failed->message.find(part), std::string::npos) << part << "\n is not in\n"
                                                             << failed->message;
  }
}

TEST(ReplyCorpus, every_sample_gives_what_it_says) {
  const auto parents = reply_parents();
  for (const ReplySample& sample : reply_samples()) {
    SCOPED_TRACE(sample.file + ": " + sample.name);
    const auto parent = editable_source(sample.parent, parents.at(sample.parent));
    ASSERT_TRUE(parent) << parent.error().message;
    const auto edit = edited(sample, *parent);
    sample.expected == "ok" ? expect_source(sample, edit) : expect_failure(sample, edit);
  }
}

TEST(ReplyCorpus, holds_150_well_formed_samples_with_names_of_their_own) {
  std::set<std::string> names;
  std::set<std::string> reasons;
  for (const ReplySample& sample : reply_samples()) {
    SCOPED_TRACE(sample.file + ": " + sample.name);
    EXPECT_TRUE(names.insert(sample.name).second) << "stands there twice";
    EXPECT_TRUE(sample.mode == "diff" || sample.mode == "rewrite") << sample.mode;
    EXPECT_EQ(sample.expected == "ok", !sample.source.empty());
    EXPECT_TRUE(sample.expected == "ok" || !sample.says.empty()) << "says nothing of the message";
    reasons.insert(sample.expected);
  }
  EXPECT_GE(names.size(), 150u);
  const std::set<std::string> all = {"ok",           "no_code",       "no_entry_point",
                                     "truncated",    "too_large",     "not_text",
                                     "empty_search", "no_match",      "ambiguous_match",
                                     "overlap",      "outside_block", "malformed_block",
                                     "unchanged"};
  EXPECT_EQ(reasons, all);
}

TEST(ReplyCorpus, holds_20_samples_of_every_language) {
  std::map<std::string, int> samples;
  for (const ReplySample& sample : reply_samples()) ++samples[sample.language];
  for (const Language& language : languages()) {
    EXPECT_GE(samples[language.name], 20) << language.name;
  }
}

}  // namespace
}  // namespace ke

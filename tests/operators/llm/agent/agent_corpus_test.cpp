// Conversations with an agent, most with a fault: tests/golden/agent_conversations.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "core/text.hpp"
#include "tests/operators/llm/agent/agent_kit.hpp"

namespace ke {
namespace {

using test::AgentTalk;
using testing::HasSubstr;

struct CorpusPart {
  std::vector<std::string> head;  ///< words after `--- `
  std::string text;
};

struct CorpusTalk {
  std::string name;
  std::map<std::string, std::string> options;
  std::vector<CorpusPart> parts;
};

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (const auto word : split(line, ' ')) words.emplace_back(word);
  return words;
}

CorpusTalk talk_of(std::string_view head) {
  CorpusTalk talk;
  for (const auto field : split(head, '|')) {
    const auto colon = field.find(':');
    if (colon == field.npos) {
      talk.name = trim(field);
    } else {
      talk.options[std::string(trim(field.substr(0, colon)))] = trim(field.substr(colon + 1));
    }
  }
  return talk;
}

std::vector<CorpusTalk> talks_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  std::vector<CorpusTalk> talks;
  for (const auto line : split(text.view(), '\n')) {
    if (line.starts_with("=== ")) {
      talks.push_back(talk_of(line.substr(4)));
    } else if (line.starts_with("--- ")) {
      talks.back().parts.push_back({words_of(line.substr(4)), ""});
    } else if (!talks.empty()) {
      talks.back().parts.back().text += std::string(line) + "\n";
    }
  }
  return talks;
}

std::vector<CorpusTalk> corpus() {
  std::vector<CorpusTalk> all;
  for (const char* file : {"faults.txt", "work.txt"}) {
    for (CorpusTalk& talk : talks_of(std::filesystem::path(KE_SOURCE_DIR) /
                                     "tests/golden/agent_conversations" / file)) {
      all.push_back(std::move(talk));
    }
  }
  return all;
}

void expect_lines(const std::string& text, const std::string& lines) {
  for (const auto line : split(lines, '\n')) {
    EXPECT_THAT(text, HasSubstr(std::string(line)));
  }
}

void take_trial(AgentTalk& talk, const std::vector<std::string>& head) {
  const std::map<std::string, TrialKind> kinds = {{"compile", TrialKind::build},
                                                  {"check", TrialKind::check},
                                                  {"time", TrialKind::time},
                                                  {"profile", TrialKind::profile}};
  ASSERT_NE(talk.trial(), nullptr) << talk.told();
  EXPECT_EQ(talk.trial()->kind, kinds.at(head.at(1)));
  const double speedup = head.size() > 3 ? std::stod(head[3]) : 0;
  talk.judged(test::trial_facts(*talk.trial(), parse_verdict(head.at(2)).value(), speedup));
}

void expect_end(const AgentTalk& talk, const CorpusPart& part) {
  if (part.head.at(1) == "ok") {
    ASSERT_NE(talk.kernel(), nullptr) << talk.told();
    return expect_lines(talk.kernel()->kernel.source, part.text);
  }
  ASSERT_NE(talk.no_child(), nullptr) << talk.told();
  EXPECT_EQ(talk.no_child()->reason, part.head[1]);
  expect_lines(talk.no_child()->message, part.text);
}

void go_through(const CorpusTalk& corpus_talk) {
  AgentTalk talk(corpus_talk.options);
  talk.start();
  for (const CorpusPart& part : corpus_talk.parts) {
    const std::string& what = part.head.front();
    if (what == "reply") talk.reply(part.text, part.head.size() > 1 ? part.head[1] : "ok");
    if (what == "trial") take_trial(talk, part.head);
    if (what == "says") {
      ASSERT_NE(talk.request(), nullptr) << "before\n" << part.text;
      expect_lines(talk.told(), part.text);
    }
    if (what == "ends") expect_end(talk, part);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(AgentCorpus, every_conversation_comes_to_what_it_says) {
  for (const CorpusTalk& talk : corpus()) {
    SCOPED_TRACE(talk.name);
    ASSERT_FALSE(talk.parts.empty());
    EXPECT_EQ(talk.parts.back().head.front(), "ends");
    go_through(talk);
  }
}

TEST(AgentCorpus, holds_ten_conversations_with_faults_and_names_of_their_own) {
  std::set<std::string> names;
  for (const CorpusTalk& talk : corpus()) EXPECT_TRUE(names.insert(talk.name).second) << talk.name;
  EXPECT_GE(names.size(), 12u);
}

}  // namespace
}  // namespace ke

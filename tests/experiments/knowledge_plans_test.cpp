// Code in the knowledge sheets is complete: its launch plan and its knobs can be parsed.

#include <gtest/gtest.h>

#include "core/knob_space.hpp"
#include "fitness/plan/launch_plan.hpp"
#include "operators/llm/knowledge.hpp"

namespace ke {
namespace {

/// Removes the fences of a code block.
std::string bare(const std::string& code) {
  const std::size_t first = code.find('\n') + 1;
  return code.substr(first, code.rfind("```") - first);
}

TEST(KnowledgePlans, every_declared_launch_and_knob_can_be_read) {
  int plans = 0;
  for (const KnowledgeSheet& sheet : knowledge_sheets()) {
    const auto passages = parse_knowledge(sheet);
    ASSERT_TRUE(passages) << passages.error().message;
    for (const KnowledgePassage& passage : *passages) {
      if (passage.code.find("@launch") == std::string::npos) continue;
      const std::string& language = passage.languages.front();
      const bool python = language == "triton" || language == "cute";
      const std::string code = bare(passage.code);
      const auto plan =
          parse_launch_plan(passage.title, code, python ? BlockFrom::compiler : BlockFrom::plan);
      EXPECT_TRUE(plan) << plan.error().message;
      const auto space = parse_kernel_space(passage.title, code);
      EXPECT_TRUE(space) << space.error().message;
      ++plans;
    }
  }
  EXPECT_GE(plans, 30);
}

}  // namespace
}  // namespace ke

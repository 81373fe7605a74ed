#include <sstream>

#include "experiments/cli/verb.hpp"
#include "tests/operators/llm/client_kit.hpp"

namespace ke {
namespace {

using test::TemporaryFolder;

/// Message of `kernelevolve mock-llm ...` when it cannot serve.
std::string refusal(std::vector<std::string> words) {
  words.insert(words.begin(), "mock-llm");
  std::ostringstream out, err;
  Console console{out, err, false, ""};
  EXPECT_NE(run_command_line(words, console), 0);
  return err.str();
}

TEST(MockVerb, names_what_it_cannot_serve) {
  const TemporaryFolder folder;
  EXPECT_NE(refusal({folder.text()}).find("holds no reply"), std::string::npos);
  EXPECT_NE(refusal({folder.text() + "/none"}).find("is no folder of replies"), std::string::npos);
  folder.write("1.txt", "x");
  EXPECT_NE(refusal({folder.text(), "--kinds", "cut,sulky"}).find("no fault 'sulky'"),
            std::string::npos);
  EXPECT_NE(refusal({folder.text(), "--faults", "101"}).find("101"), std::string::npos);
}

}  // namespace
}  // namespace ke

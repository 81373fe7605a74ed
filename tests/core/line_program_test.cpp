#include "core/line_program.hpp"

#include <gmock/gmock.h>
#include <signal.h>

#include <thread>

namespace ke {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

LineProgram::Options shell(const std::string& script, std::int64_t starts = 1) {
  return {{"sh", "-c", script}, milliseconds(2000), starts};
}

TEST(LineProgram, answers_line_by_line) {
  LineProgram program(shell("while read line; do echo \"<$line>\"; done"));
  EXPECT_EQ(*program.exchange("one"), "<one>");
  EXPECT_EQ(*program.exchange(""), "<>");
  EXPECT_EQ(*program.exchange(std::string(100'000, 'x')), "<" + std::string(100'000, 'x') + ">");
}

struct Broken {
  const char* script;
  const char* message;
};
class BrokenProgram : public ::testing::TestWithParam<Broken> {};
TEST_P(BrokenProgram, is_a_clear_error_and_no_hang) {
  LineProgram program(shell(GetParam().script));
  const auto answer = program.exchange("go");
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr(GetParam().message));
  EXPECT_FALSE(program.runs());
  EXPECT_THAT(program.exchange("go").error().message, HasSubstr("is not started again"));
}
INSTANTIATE_TEST_SUITE_P(
    Kinds, BrokenProgram,
    ::testing::Values(Broken{"exit 0", "died"}, Broken{"read line; exit 3", "died"},
                      Broken{"sleep 100", "gave no answer within 2000 ms"},
                      Broken{"exec >&-; sleep 100", "gave no answer"},
                      Broken{"read line; printf half; sleep 100", "gave no answer"},
                      Broken{"read line; printf 'one\\ntwo\\n'; sleep 100", "more than one line"},
                      Broken{"yes | tr -d '\\n'", "beyond 1 MiB"}));

TEST(LineProgram, that_speaks_unasked_is_refused) {
  LineProgram program(shell("read line; echo one; sleep 0.2; echo two; sleep 100"));
  ASSERT_TRUE(program.exchange("go"));
  std::this_thread::sleep_for(milliseconds(600));
  EXPECT_THAT(program.exchange("go").error().message, HasSubstr("spoke without being asked"));
}

TEST(LineProgram, that_is_not_there_is_named) {
  LineProgram program({{"/no/such/program", "-x"}, milliseconds(1000), 1});
  EXPECT_THAT(program.exchange("go").error().message,
              HasSubstr("program '/no/such/program -x' cannot be started"));
  LineProgram none({{}, milliseconds(1000), 1});
  EXPECT_THAT(none.exchange("go").error().message, HasSubstr("no program is named"));
}

TEST(LineProgram, is_started_again_as_often_as_allowed) {
  LineProgram program(shell("read line; echo fine; exit", 2));
  EXPECT_TRUE(program.exchange("go"));
  std::this_thread::sleep_for(milliseconds(200));
  EXPECT_FALSE(program.exchange("go"));
  EXPECT_TRUE(program.exchange("go"));
  std::this_thread::sleep_for(milliseconds(200));
  EXPECT_FALSE(program.exchange("go"));
  EXPECT_THAT(program.exchange("go").error().message, HasSubstr("is not started again"));
}

TEST(LineProgram, leaves_no_process_behind) {
  int process = 0;
  {
    LineProgram program(shell("read line; sleep 100 & echo $!; wait"));
    process = std::stoi(*program.exchange("go"));
    EXPECT_EQ(kill(process, 0), 0);
  }
  for (int i = 0; i < 100 && kill(process, 0) == 0; ++i) {
    std::this_thread::sleep_for(milliseconds(20));
  }
  EXPECT_NE(kill(process, 0), 0);
}

}  // namespace
}  // namespace ke

#include "tests/support/mock_llm/mock_script.hpp"

#include "tests/operators/llm/client_kit.hpp"

namespace ke {
namespace {

using test::TemporaryFolder;

MockRequest asked(std::int64_t number, const std::string& prompt = "") {
  return {number, "openai_chat", "m", prompt};
}

TEST(MockScript, a_queue_gives_its_turns_in_order_and_stays_at_the_last) {
  const MockScript script = mock_queue({{MockFault::none, "a"}, {MockFault::cut, "b"}});
  EXPECT_EQ(script(asked(0)).text, "a");
  EXPECT_EQ(script(asked(1)).fault, MockFault::cut);
  EXPECT_EQ(script(asked(2)).text, "b");
}

TEST(MockScript, a_folder_answers_by_the_operator_that_the_prompt_names) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "repair");
  folder.write("1.txt", "any one");
  folder.write("2.txt", "any two");
  folder.write("repair/1.txt", "mended");
  const auto script = mock_folder(folder.text());
  ASSERT_TRUE(script);
  EXPECT_EQ((*script)(asked(0, "operator: repair")).text, "mended");
  EXPECT_EQ((*script)(asked(1, "something")).text, "any one");
  EXPECT_EQ((*script)(asked(2, "something")).text, "any two");
  EXPECT_EQ((*script)(asked(3, "something")).text, "any one");
  EXPECT_EQ((*script)(asked(4, "operator: repair")).text, "mended");
}

TEST(MockScript, the_operator_that_a_prompt_names_first_is_the_one_that_asks) {
  const TemporaryFolder folder;
  for (const char* name : {"repair", "a_longer_name"}) {
    std::filesystem::create_directories(folder / name);
    folder.write(std::string(name) + "/1.txt", name);
  }
  const auto script = mock_folder(folder.text());
  ASSERT_TRUE(script);
  EXPECT_EQ((*script)(asked(0, "repair what a_longer_name made")).text, "repair");
}

TEST(MockScript, a_folder_without_replies_is_an_error) {
  const TemporaryFolder folder;
  EXPECT_NE(mock_folder(folder.text()).error().message.find("holds no reply"), std::string::npos);
  EXPECT_NE(mock_folder(folder.text() + "/none").error().message.find("is no folder"),
            std::string::npos);
}

TEST(MockScript, faults_come_at_their_share_and_repeat_with_the_seed) {
  const auto faults = [](std::uint64_t seed) {
    const MockScript script =
        mock_faults(0.3, seed, {MockFault::cut, MockFault::empty}, mock_queue({{}}));
    std::vector<MockFault> drawn;
    for (int i = 0; i < 2000; ++i) drawn.push_back(script(asked(i)).fault);
    return drawn;
  };
  const auto drawn = faults(1);
  EXPECT_EQ(drawn, faults(1));
  EXPECT_NE(drawn, faults(2));
  EXPECT_NEAR(static_cast<double>(std::count(drawn.begin(), drawn.end(), MockFault::none)), 1400,
              70);
}

TEST(MockScript, every_fault_has_a_name) {
  EXPECT_EQ(mock_fault_names().size(), static_cast<std::size_t>(MockFault::held) + 1);
}

}  // namespace
}  // namespace ke

#include "experiments/run/yaml/read_yaml.hpp"

#include <gmock/gmock.h>

namespace ke {
namespace {

using ::testing::HasSubstr;

std::string error_of(std::string_view text) {
  const auto node = read_yaml_text("f.yaml", text);
  return node ? "" : node.error().message;
}

TEST(ReadYaml, keeps_text_place_and_quotes) {
  const auto node = read_yaml_text("f.yaml", "a: {b: [1, '2']}\nc: yes\n");
  ASSERT_TRUE(node) << node.error().message;
  const Node* list = node->find("a")->find("b");
  ASSERT_EQ(list->items.size(), 2u);
  EXPECT_EQ(list->items[0].scalar, "1");
  EXPECT_FALSE(list->items[0].quoted);
  EXPECT_TRUE(list->items[1].quoted);
  EXPECT_EQ(list->items[1].place.text(), "f.yaml:1:12");
  EXPECT_EQ(node->find("c")->scalar, "yes");
  EXPECT_EQ(node->entries[1].place.text(), "f.yaml:2:1");
}

TEST(ReadYaml, empty_text_is_a_null_node) {
  const auto node = read_yaml_text("f.yaml", "# nothing\n");
  ASSERT_TRUE(node);
  EXPECT_EQ(node->kind, Node::Kind::null);
}

struct Trap {
  const char* text;
  const char* message;
};

class ReadYamlRefuses : public ::testing::TestWithParam<Trap> {};

TEST_P(ReadYamlRefuses, with_a_place_and_a_reason) {
  EXPECT_THAT(error_of(GetParam().text), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Traps, ReadYamlRefuses,
    ::testing::Values(Trap{"a: 1\nb: 2\na: 3\n", "f.yaml:3:1: duplicate key 'a'; first at line 1"},
                      Trap{"a: {x: 1, x: 2}\n", "f.yaml:1:11: duplicate key 'x'"},
                      Trap{"a: 010\n", "f.yaml:1:4: 010 is octal to some readers"},
                      Trap{"a: -07\n", "f.yaml:1:4: -07 is octal"},
                      Trap{"a: &x 1\nb: 2\n", "f.yaml:1:4: anchors (&) are not allowed"},
                      Trap{"a: &x [1]\nb: *x\n", "f.yaml:2:4: aliases (*) are not allowed"},
                      Trap{"b: {<<: {a: 1}}\n", "f.yaml:1:5: merge keys (<<) are not allowed"},
                      Trap{"a: !!int 3\n", "tags are not allowed"},
                      Trap{"a: !mine {b: 1}\n", "tags are not allowed: !mine"},
                      Trap{"a: 1\n---\nb: 2\n", "f.yaml:2:1: a second document"},
                      Trap{"a:\n\tb: 1\n", "f.yaml:2:1: a tab in the indentation"},
                      Trap{"a: \x01\n", "f.yaml:1:4: control character 0x01"},
                      Trap{"a: [1, 2\n", "f.yaml:"},
                      Trap{"? [1, 2]\n: x\n", "f.yaml:1:3: a key must be a single value"},
                      Trap{"a: b: c\n", "f.yaml:1:"}));

TEST(ReadYaml, refuses_a_nul_byte) {
  EXPECT_THAT(error_of(std::string_view("a: \0b\n", 6)),
              HasSubstr("f.yaml:1:4: control character 0x00"));
}

TEST(ReadYaml, reports_every_trap_at_once) {
  const std::string errors = error_of("a: 010\na: 1\nb: &x 1\n");
  EXPECT_THAT(errors, HasSubstr("f.yaml:1:4"));
  EXPECT_THAT(errors, HasSubstr("f.yaml:2:1"));
  EXPECT_THAT(errors, HasSubstr("f.yaml:3:4"));
}

TEST(ReadYaml, billion_laughs_is_an_error_not_an_expansion) {
  std::string text = "a0: &a0 [x]\n";
  for (int i = 1; i < 40; ++i) {
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) +
            ", *a" + std::to_string(i - 1) + "]\n";
  }
  EXPECT_THAT(error_of(text), HasSubstr("aliases (*) are not allowed"));
}

TEST(ReadYaml, deep_nesting_is_an_error_not_a_crash) {
  EXPECT_NE(error_of(std::string(200000, '[')), "");
}

TEST(ReadYaml, many_keys_are_read_in_linear_time) {
  std::string text;
  for (int i = 0; i < 50000; ++i) text += "k" + std::to_string(i) + ": 1\n";
  const auto node = read_yaml_text("f.yaml", text);
  ASSERT_TRUE(node);
  EXPECT_EQ(node->entries.size(), 50000u);
}

TEST(ReadYaml, a_long_text_is_refused) {
  EXPECT_THAT(error_of("#" + std::string(yaml_limit_bytes, 'x')),
              HasSubstr("longer than 1048576 bytes"));
}

TEST(ReadYaml, missing_files_and_folders_are_named) {
  EXPECT_THAT(read_yaml_file("/nowhere/x.yaml").error().message, HasSubstr("no such file"));
  EXPECT_THAT(read_yaml_file("/tmp").error().message, HasSubstr("is not a regular file"));
}

TEST(ReadYaml, values_of_the_command_line_are_read_as_in_a_file) {
  const auto node = read_yaml_value("task", "[a, b]");
  ASSERT_TRUE(node);
  EXPECT_EQ(node->items.size(), 2u);
  EXPECT_EQ(node->items[1].place.text(), "command line");
  EXPECT_FALSE(read_yaml_value("task", "[a"));
}

}  // namespace
}  // namespace ke

#include "core/params.hpp"

#include <gmock/gmock.h>

namespace ke {
namespace {

using ::testing::HasSubstr;

Node scalar(std::string text, int line) {
  Node node;
  node.kind = Node::Kind::scalar;
  node.scalar = std::move(text);
  node.place = {"q.yaml", line, 5};
  return node;
}

/// q.yaml with one `key: value` per line.
Node document(std::vector<std::pair<std::string, std::string>> entries) {
  Node map;
  map.kind = Node::Kind::map;
  map.place = {"q.yaml", 1, 1};
  int line = 0;
  for (auto& [key, value] : entries) {
    ++line;
    map.entries.push_back({key, {"q.yaml", line, 1}, scalar(value, line)});
  }
  return map;
}

TEST(Params, wrong_values_are_all_reported_with_place_and_range) {
  const Node node =
      document({{"every", "0"}, {"rate", "fast"}, {"on", "yes"}, {"kind", "rign"}, {"wall", "5"}});
  ParamLog log;
  Params params(&node, "", log);
  EXPECT_EQ(params.integer("every", 20, {1, 100}, ""), 20);
  EXPECT_EQ(params.real("rate", 0.5, {0, 1}, ""), 0.5);
  EXPECT_FALSE(params.flag("on", false, ""));
  EXPECT_EQ(params.choice("kind", "ring", {"ring", "star"}, ""), "ring");
  params.duration_ms("wall", "1s", {0, 1000}, "");
  EXPECT_EQ(log.errors,
            (std::vector<std::string>{
                "q.yaml:1:5: 'every' = 0 is outside [1, 100]",
                "q.yaml:2:5: 'rate' = fast is not a number in [0, 1]",
                "q.yaml:3:5: 'on' = yes is not true or false",
                "q.yaml:4:5: 'kind' = rign is not one of ring | star; did you mean 'ring'?",
                "q.yaml:5:5: 'wall' = 5 is not a duration such as 90s, 15min, 2h"}));
}

TEST(Params, unknown_keys_are_reported_with_a_suggestion) {
  const Node node = document({{"migraton", "1"}, {"seed", "2"}});
  ParamLog log;
  Params params(&node, "", log);
  params.integer("migration", 1, {0, 9}, "");
  params.integer("seed", 1, {0, 9}, "");
  log.report_unknown();
  EXPECT_EQ(
      log.errors,
      (std::vector<std::string>{"q.yaml:1:1: unknown key 'migraton'; did you mean 'migration'?"}));
}

TEST(Params, unknown_keys_without_a_near_one_name_those_that_exist) {
  Node node;
  node.set("topology", scalar("ring", 1));
  node.set("islands.sort", scalar("1", 2));
  ParamLog log;
  Params params(&node, "", log);
  params.integer("seed", 1, {0, 9}, "");
  Params islands = params.section("islands");
  islands.integer("count", 1, {1, 9}, "");
  islands.text("topology", "", "");
  log.report_unknown();
  ASSERT_EQ(log.errors.size(), 2u);
  EXPECT_THAT(log.errors[0], HasSubstr("unknown key 'topology'; did you mean 'islands.topology'?"));
  EXPECT_THAT(log.errors[1], HasSubstr("unknown key 'islands.sort' (known: count, topology)"));
}

TEST(Params, canonical_text_holds_defaults_and_does_not_depend_on_order) {
  const auto text = [](const Node& node) {
    ParamLog log;
    Params params(&node, "", log);
    params.integer("b", 3, {0, 9}, "");
    params.real("a", 0.25, {0, 9}, "");
    return log.canonical_text();
  };
  EXPECT_EQ(text(document({{"b", "3"}})), "a = 0.25\nb = 3\n");
  EXPECT_EQ(text(document({{"a", "0.25"}, {"b", "3"}})),
            text(document({{"b", "3"}, {"a", "0.25"}})));
}

TEST(Params, durations_and_options_are_declared_once) {
  const Node node = document({{"wall", "2min"}});
  ParamLog log;
  Params params(&node, "safety", log);
  EXPECT_EQ(params.duration_ms("wall", "90s", {0, 1000000}, "wall clock limit"), 120000);
  ASSERT_EQ(log.options.size(), 1u);
  EXPECT_EQ(log.options[0].path, "safety.wall");
  EXPECT_EQ(log.options[0].fallback, "90s");
  EXPECT_EQ(log.options[0].doc, "wall clock limit");
}

TEST(Params, an_override_creates_the_way_to_its_key) {
  Node node;
  Node value = scalar("7", 0);
  value.place = {"command line", 0, 0};
  node.set("islands.migration.every", value);
  ParamLog log;
  Params params(&node, "", log);
  EXPECT_EQ(params.section("islands").section("migration").integer("every", 1, {1, 9}, ""), 7);
  node.set("islands.migration.every", scalar("0", 3));
  Params again(&node, "", log);
  again.section("islands").section("migration").integer("every", 1, {1, 9}, "");
  EXPECT_EQ(log.errors.back(), "q.yaml:3:5: 'islands.migration.every' = 0 is outside [1, 9]");
}

TEST(Params, a_section_may_have_several_readers) {
  Node node;
  node.set("archive.bins", scalar("8", 1));
  node.set("archive.rate", scalar("1", 2));
  node.set("archive.rste", scalar("1", 3));
  ParamLog log;
  Params params(&node, "", log);
  params.section("archive").integer("bins", 1, {1, 9}, "");
  params.section("archive").integer("rate", 1, {1, 9}, "");
  log.report_unknown();
  EXPECT_EQ(log.errors, std::vector<std::string>{
                            "q.yaml:3:5: unknown key 'archive.rste'; did you mean 'rate'?"});
}

TEST(Params, a_skipped_section_is_known_and_no_part_of_the_identity) {
  Node node;
  node.set("operators.command.program", scalar("x", 1));
  ParamLog log;
  Params params(&node, "", log);
  params.section("operators").section("command").skip();
  log.report_unknown();
  EXPECT_TRUE(log.errors.empty());
  EXPECT_EQ(log.canonical_text(), "");
}

}  // namespace
}  // namespace ke

// Plans of dispatchers: stored in a folder, merged from several machines, written as sources.

#include "experiments/dispatch/dispatch_plan.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "experiments/dispatch/compose_plan.hpp"
#include "experiments/dispatch/library_folder.hpp"
#include "experiments/dispatch/library_text.hpp"
#include "experiments/dispatch/result_text.hpp"
#include "experiments/run/evaluators/cpu.hpp"
#include "experiments/text/json.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ke {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

DispatchVariant variant(const std::string& name) {
  return {name,  "run.kev 1.0.0",    name + "-hash", {"-O3", "-march=native", "-DN=it's"},
          false, "// " + name + "\n"};
}

DispatchShape shape(std::size_t rows, const std::vector<std::string>& order) {
  DispatchShape one{"rows=" + std::to_string(rows), "bench", {rows, 8}, order, {}};
  for (const std::string& name : order) one.speedups[name] = {1.5, {1.25, 2}, ""};
  return one;
}

DispatchPlan plan_on(const std::string& processor, const std::string& kernel) {
  DispatchPlan plan{"softmax", "0123456789abcdef", "softmax", {}, {}};
  plan.variants = {variant("kanchor"), variant(kernel), variant(std::string(fallback_name))};
  DispatchDevice device;
  device.processor = processor;
  device.extensions = "3f";
  device.device_class = processor + " avx2";
  device.date = "2026-11-25 04:57 UTC";
  device.champion = "run.kev 2.0.0";
  device.rule = {DispatchKind::nearest_shape, {}, 1.5, 1.25, 8};
  device.shapes = {shape(16, {kernel, "kanchor"}), shape(32, {"kanchor", kernel})};
  device.checks = {{"rows=16", "holdout", kernel, {1.5, {1.25, 2}, ""}, {0, {0, 0}, "lost x"}}};
  plan.devices = {device};
  return plan;
}

std::vector<std::string> names_of(const DispatchPlan& plan) {
  std::vector<std::string> names;
  for (const DispatchVariant& one : plan.variants) names.push_back(one.name);
  return names;
}

TEST(DispatchPlan, is_read_as_it_was_written) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(write_plan(folder.text(), plan_on("Chip", "k1")));
  const auto read = read_plan(folder.text());
  ASSERT_TRUE(read && *read) << (read ? "" : read.error().message);
  const test::TemporaryFolder again;
  ASSERT_TRUE(write_plan(again.text(), **read));
  for (const char* name : {"dispatch.json", "variants/k1.cpp", "variants/fallback.cpp"}) {
    EXPECT_EQ(hash_of_file(folder.file(name))->hex(), hash_of_file(again.file(name))->hex());
  }
  const DispatchDevice& device = (*read)->devices.front();
  EXPECT_EQ(device.rule.kind, DispatchKind::nearest_shape);
  EXPECT_EQ(device.shapes[1].lengths, (std::vector<std::size_t>{32, 8}));
  EXPECT_EQ(device.checks[0].champion.note, "lost x");
  EXPECT_EQ(device.rule.reach, 8);
}

TEST(DispatchPlan, of_the_format_without_reaches_takes_the_usual_one) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(write_plan(folder.text(), plan_on("Chip", "k1")));
  std::ifstream file(folder.file("dispatch.json"));
  Json json = Json::parse(file);
  EXPECT_EQ(json.at("schema"), "kernelevolve-dispatch/2");
  json["schema"] = "kernelevolve-dispatch/1";
  json["devices"][0].erase("reach");
  folder.write("dispatch.json", json.dump());
  const auto read = read_plan(folder.text());
  ASSERT_TRUE(read && *read) << (read ? "" : read.error().message);
  EXPECT_EQ((*read)->devices.front().rule.reach, 4);
}

TEST(DispatchPlan, calls_the_anchor_beyond_the_reach_of_its_device) {
  const DispatchPlan plan = plan_on("Chip", "k1");
  const auto called = [&](std::size_t rows, std::size_t cols) {
    return called_at(plan, plan.devices.front(), {rows, cols});
  };
  EXPECT_EQ(called(16, 8), "k1");
  EXPECT_EQ(called(20, 64), "k1");
  EXPECT_EQ(called(15, 8), "kanchor");
  EXPECT_EQ(called(16, 65), "kanchor");
}

TEST(DispatchPlan, is_none_in_an_empty_folder_and_an_error_where_it_is_damaged) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(*read_plan(folder.text()), std::nullopt);
  for (const char* text : {"{", "[]", "{}", R"({"schema": "kernelevolve-dispatch/1"})",
                           R"({"schema": "kernelevolve-dispatch/2", "task": 3})",
                           R"({"schema": "kernelevolve-dispatch/3"})"}) {
    folder.write("dispatch.json", text);
    const auto read = read_plan(folder.text());
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message, HasSubstr("dispatch.json: not what 'dispatch' writes"));
  }
}

TEST(DispatchPlan, without_the_source_of_a_kernel_is_an_error) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(write_plan(folder.text(), plan_on("Chip", "k1")));
  std::filesystem::remove(folder / "variants/k1.cpp");
  const auto read = read_plan(folder.text());
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("variants/k1.cpp: cannot be read"));
}

TEST(DispatchPlan, of_two_machines_holds_the_kernels_of_both_and_the_fallback_last) {
  const auto both = merged(plan_on("One", "k1"), plan_on("Two", "k2"));
  ASSERT_TRUE(both);
  EXPECT_THAT(names_of(*both), ElementsAre("kanchor", "k2", "k1", "fallback"));
  ASSERT_EQ(both->devices.size(), 2U);
  EXPECT_EQ(both->devices[0].processor, "Two");
}

TEST(DispatchPlan, of_a_machine_that_is_measured_again_replaces_what_it_said_before) {
  const auto again = merged(plan_on("One", "k1"), plan_on("One", "k2"));
  ASSERT_TRUE(again);
  EXPECT_THAT(names_of(*again), ElementsAre("kanchor", "k2", "fallback"));
  EXPECT_EQ(again->devices.size(), 1U);
}

TEST(DispatchPlan, of_another_task_or_name_is_no_part_of_it) {
  DispatchPlan other = plan_on("One", "k1");
  other.task_hash = "fedcba9876543210";
  const auto mixed = merged(plan_on("One", "k1"), other);
  ASSERT_FALSE(mixed);
  EXPECT_THAT(mixed.error().message,
              HasSubstr("holds a dispatcher 'softmax' of task 'softmax' (content 0123456789ab)"));
  other = plan_on("One", "k1");
  other.symbol = "soft";
  EXPECT_FALSE(merged(plan_on("One", "k1"), other));
}

TEST(DispatcherFolder, with_other_things_in_it_is_refused) {
  const test::TemporaryFolder folder;
  EXPECT_TRUE(claim_folder(folder.file("new/folder"), {}));
  EXPECT_TRUE(claim_folder(folder.file("new/folder"), {}));
  const auto taken = claim_folder(folder.text(), {"dispatch.json"});
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().message, HasSubstr("holds other things; name a new folder"));
}

TEST(InterfaceText, tells_of_each_axis_where_inputs_have_it_and_what_is_verified) {
  const Json linear = parse_json(interface_text(**load_task("linear", ".")));
  EXPECT_EQ(linear["reference"], "reference.cpp");
  EXPECT_EQ(linear["tensors"][0]["shape"], (std::vector<std::string>{"m", "k"}));
  const Json bag = parse_json(interface_text(**load_task("embedding_bag", ".")));
  EXPECT_EQ(bag["tensors"][1]["range"], (std::vector<std::string>{"0", "vocab"}));
  EXPECT_EQ(bag["axes"][3], Json({{"name", "bag"},
                                  {"tensor", 1},
                                  {"dimension", 1},
                                  {"low", 1},
                                  {"high", 400},
                                  {"multiple_of", 1}}));
}

TEST(DispatcherSources, call_for_each_device_its_own_kernels) {
  const Task task = **load_task("softmax", ".");
  const DispatchPlan plan = *merged(plan_on("One \"X\"", "k1"), plan_on("Two", "k2"));
  const std::string text = dispatch_text(task, plan);
  EXPECT_THAT(text, HasSubstr("    16, 8,  // rows=16, bench\n"));
  EXPECT_THAT(text, HasSubstr("    1, 0,  // k2 kanchor\n    0, 1,  // kanchor k2\n"));
  EXPECT_THAT(text, HasSubstr("    2, 0,  // k1 kanchor\n    0, 2,  // kanchor k1\n"));
  EXPECT_THAT(text, HasSubstr("{\"Two\", \"3f\", shapes_0, orders_0, 2, 2, 8},"));
  EXPECT_THAT(text, HasSubstr("{\"One \\\"X\\\"\", \"3f\", shapes_1, orders_1, 2, 2, 8},"));
}

TEST(DispatcherSources, say_which_kernel_is_the_anchor_and_how_far_from_it_others_are_called) {
  const Task task = **load_task("softmax", ".");
  const DispatchPlan plan = plan_on("One", "k1");
  EXPECT_THAT(header_text(task, plan), HasSubstr("kanchor at shapes far from"));
  const std::string readme = readme_text(task, plan);
  EXPECT_THAT(readme, HasSubstr("it runs kanchor."));
  EXPECT_THAT(readme, HasSubstr("Largest factor of an axis: 8."));
  const std::string result = result_text("library", {plan, {}});
  EXPECT_THAT(result,
              HasSubstr("calls the kernel of the nearest of 2 shapes, kanchor at shapes that "
                        "are in an axis more than a factor of 8 away or shorter than all "
                        "of them (at shapes left"));
}

TEST(DispatcherSources, name_the_module_that_figures_are_over_and_say_who_is_slower) {
  DispatchPlan plan = plan_on("One", "k1");
  plan.against = "pytorch_eager";
  plan.devices.front().checks = {
      {"rows=3", "holdout", "k1", {0.57, {0.55, 0.59}, ""}, {0.5, {0.4, 0.6}, ""}, {}}};
  plan.devices.front().checks.front().libraries = {{"onednn", {1.0, {0.98, 1.02}, ""}},
                                                   {"openblas", {0, {}, "unreliable contended"}},
                                                   {"pytorch_compiled", {2.5, {0.1, 48}, ""}}};
  EXPECT_THAT(result_text("library", {plan, {}}),
              testing::EndsWith("at holdout shapes, mean of 1, the library is\n"
                                "  slower than pytorch eager: 0.570x [0.550, 0.590]\n"
                                "  as fast as onednn, within the error: 1.000x [0.980, 1.020]\n"
                                "  no figure over openblas: unreliable contended\n"
                                "  no figure over pytorch compiled: not resolved\n"));
  EXPECT_THAT(readme_text(**load_task("softmax", "."), plan),
              HasSubstr("| library over pytorch eager |"));
  const Json json = json_of("library", {plan, {}});
  EXPECT_EQ(json["against"], "pytorch_eager");
  const Json& unresolved = json["means"][2]["libraries"]["pytorch_compiled"];
  EXPECT_TRUE(unresolved["speedup"].is_null());
  EXPECT_EQ(unresolved["ci"], Json({nullptr, nullptr}));
  EXPECT_EQ(unresolved["resolved"], false);
  EXPECT_EQ(unresolved["estimate"]["speedup"], 2.5);
}

TEST(DispatcherSources, prepare_only_what_a_task_says_may_be_prepared) {
  const DispatchPlan plan = plan_on("One", "k1");
  EXPECT_THAT(header_text(**load_task("softmax", "."), plan), Not(HasSubstr("_prepare(")));
  const std::string header = header_text(**load_task("linear", "."), plan);
  EXPECT_THAT(header, HasSubstr("void softmax_prepare(const float* "));
}

TEST(DispatcherSources, ask_what_a_processor_must_have_by_the_flags_that_name_it) {
  DispatchPlan plan = plan_on("One", "k1");
  plan.variants[0].source = "__attribute__((target(\"avx2\"))) void f();\n";
  plan.variants[0].arguments = {"-O3"};
  plan.variants[1].arguments = {"-O3", "-mavx2", "-DN=it's"};
  const std::string text = kernels_text(plan, true);
  EXPECT_THAT(text, HasSubstr("  needs kanchor '-march=native'\n"));
  EXPECT_THAT(text, HasSubstr("  needs k1 '-mavx2'\n  variant k1 '-O3' '-mavx2' '-DN=it'\\''s'\n"));
  EXPECT_THAT(text, Not(HasSubstr("needs fallback")));
}

}  // namespace
}  // namespace ke

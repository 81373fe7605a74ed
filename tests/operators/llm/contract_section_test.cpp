#include "operators/llm/contract_section.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/options.hpp"

namespace ke {
namespace {

using testing::HasSubstr;
using testing::Not;

TaskContract doubled() {
  TaskContract contract;
  contract.tensors = {{"x", "float32", {"n"}, 64}, {"y", "float32", {"n"}, 64, true}};
  contract.tensors[0].values = {"normal with deviation 1"};
  contract.axes = {"n"};
  contract.nonfinite = "propagate";
  contract.relative = 1e-4;
  contract.relative_l2 = 1e-5;
  contract.scale = 1e-6;
  contract.row = "n";
  contract.shapes = {{"n=3", "test", 24, 24, 3},
                     {"n=1048576", "bench", 8 << 20, 8 << 20, 1 << 20},
                     {"n=4096", "validation", 32 << 10, 32 << 10, 4096}};
  return contract;
}

DeviceSheet slow_memory() {
  DeviceSheet sheet;
  sheet.text = "Processor: of clay\n";
  sheet.floors_ns = {{"n=1048576", 838860.8}, {"n=4096", 3276.8}};
  return sheet;
}

TEST(Contract, tells_roles_sizes_and_floors_of_timed_shapes) {
  const DeviceSheet sheet = slow_memory();
  const std::string text = contract_text(doubled(), &sheet);
  EXPECT_THAT(text, HasSubstr("- bench n=1048576: tensors of 8.0 MiB, 8.0 MiB must move, 1.0 "
                              "MFLOP, floor 838.9 us\n"));
  EXPECT_THAT(text, HasSubstr("- validation n=4096: tensors of 32.0 KiB, 32.0 KiB must move, 4.1 "
                              "kFLOP, floor 3.28 us\n"));
  EXPECT_THAT(text, HasSubstr("Also correct at: n=3."));
  EXPECT_THAT(text, HasSubstr("slower than the anchor at the validation shapes is no winner"));
}

TEST(Contract, without_a_sheet_or_validation_says_nothing_of_them) {
  TaskContract contract = doubled();
  contract.shapes.pop_back();
  const std::string text = contract_text(contract, nullptr);
  EXPECT_THAT(text, Not(HasSubstr("floor")));
  EXPECT_THAT(text, Not(HasSubstr("validation")));
  EXPECT_THAT(text, HasSubstr("task's own structured kernel.\nAlso correct"));
}

TEST(Contract, tells_the_shares_of_shapes_that_do_not_weigh_the_same) {
  TaskContract contract = doubled();
  contract.shapes.push_back({"n=8", "bench", 64, 64, 8, 94});
  contract.shapes[1].weight = 6;
  EXPECT_THAT(contract_text(contract, nullptr),
              HasSubstr("- bench n=8: tensors of 64 bytes, 94 % of the weight, 64 bytes must"));
  contract.total_time = true;
  const std::string text = contract_text(contract, nullptr);
  EXPECT_THAT(text, HasSubstr("- bench n=1048576: tensors of 8.0 MiB, 6 % of the calls"));
  EXPECT_THAT(text, HasSubstr("- validation n=4096: tensors of 32.0 KiB, 32.0 KiB must move"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "The score is the speedup of all calls together at the bench shapes, over the anchor"));
}

TEST(Contract, tells_that_no_length_varies) {
  TaskContract contract = doubled();
  contract.axes = {};
  contract.shapes = {{"one shape", "bench", 24, 24, 3}};
  const std::string text = contract_text(contract, nullptr);
  EXPECT_THAT(text, HasSubstr("- bench one shape: tensors of 24 bytes"));
  EXPECT_THAT(text, HasSubstr("No length varies: this is the only shape.\n"));
  EXPECT_THAT(text, Not(HasSubstr("Shapes of no list")));
}

TEST(Contract, tells_what_is_exact_and_the_floor_of_double_precision) {
  TaskContract contract = doubled();
  contract.tensors[1].dtype = "float64";
  contract.tensors.push_back({"flags", "bool", {"n"}, 64, true});
  contract.tensors.push_back({"sum", "int64", {"1"}, 64, true});
  const std::string text = contract_text(contract, nullptr);
  EXPECT_THAT(text, HasSubstr("4 DBL_MIN"));
  EXPECT_THAT(text, HasSubstr("Outputs of int64 and bool must be equal to the reference.\n"));
  EXPECT_THAT(text, HasSubstr("double* __restrict__ y, bool* __restrict__ flags, std::int64_t* "
                              "__restrict__ sum"));
  contract.flushes = false;
  EXPECT_THAT(contract_text(contract, nullptr), HasSubstr("2^-1072"));
}

TEST(Contract, tells_accuracy_and_special_values_in_words) {
  TaskContract contract = doubled();
  EXPECT_THAT(contract_text(contract, nullptr),
              HasSubstr("|got - ref| <= 0.0001 |ref| + 1e-06 rms(row) + 4 FLT_MIN"));
  EXPECT_THAT(contract_text(contract, nullptr), HasSubstr("propagate as in IEEE arithmetic"));
  contract.nonfinite = "row_nan";
  contract.flushes = false;
  EXPECT_THAT(contract_text(contract, nullptr), HasSubstr("makes its whole row NaN"));
  EXPECT_THAT(contract_text(contract, nullptr), HasSubstr("must not be flushed"));
  EXPECT_THAT(contract_text(contract, nullptr), HasSubstr("rms(row) + 2^-147"));
  contract.nonfinite = "unspecified";
  EXPECT_THAT(contract_text(contract, nullptr), HasSubstr("are never given"));
}

TEST(Contract, tells_of_elements_that_may_miss_and_of_the_largest_error) {
  TaskContract contract = doubled();
  contract.absolute = 0.01;
  contract.matched_ratio = 0.99;
  contract.relative_l2 = std::numeric_limits<double>::infinity();
  EXPECT_THAT(
      contract_text(contract, nullptr),
      HasSubstr("0.0001 |ref| + 0.01 + 1e-06 rms(row) + 4 FLT_MIN for at least 99 % of the "
                "elements of each output and none is NaN or infinite where the reference is "
                "finite, where"));
  EXPECT_THAT(contract_text(contract, nullptr), Not(HasSubstr("2-norm")));
  contract.max_error = 0.5;
  EXPECT_THAT(contract_text(contract, nullptr),
              HasSubstr("of each output and |got - ref| <= 0.5 for every element, where"));
}

TEST(Contract, tells_of_libraries_where_the_task_allows_them) {
  TaskContract contract = doubled();
  EXPECT_THAT(contract_text(contract, nullptr), Not(HasSubstr("BLAS")));
  contract.libraries = true;
  EXPECT_THAT(contract_text(contract, nullptr), HasSubstr("may call the C interface of BLAS"));
}

TEST(Contract, tells_the_rounding_of_half_types_and_that_integers_are_exact) {
  TaskContract contract = doubled();
  contract.language = "cuda";
  contract.tensors[1].dtype = "float16";
  contract.tensors.push_back({"at", "int32", {"n"}, 64, true});
  const std::string text = contract_text(contract, nullptr);
  EXPECT_THAT(text, HasSubstr("1.5 eps |ref| is added"));
  EXPECT_THAT(text, HasSubstr("rms(row) + 2^-22"));
  EXPECT_THAT(text, HasSubstr("Outputs of int32 must be equal"));
  EXPECT_THAT(text, HasSubstr("__half* __restrict__ y"));
}

TEST(Contract, tells_of_threads_on_processors_alone) {
  TaskContract contract = doubled();
  EXPECT_THAT(contract_text(contract, nullptr), HasSubstr("runs in one thread"));
  contract.threads = 4;
  EXPECT_THAT(contract_text(contract, nullptr), HasSubstr("may use 4 threads (OpenMP)"));
  contract.on_host = false;
  EXPECT_THAT(contract_text(contract, nullptr), Not(HasSubstr("thread")));
}

TEST(Contract, tells_of_preparation_where_an_input_never_changes_and_the_device_knows_it) {
  TaskContract contract = doubled();
  contract.prepares = true;
  EXPECT_THAT(contract_text(contract, nullptr), Not(HasSubstr("prepare")));
  contract.tensors[0].changes = false;
  EXPECT_THAT(contract_text(contract, nullptr), HasSubstr("void prepare(..)"));
  contract.prepares = false;
  EXPECT_THAT(contract_text(contract, nullptr), Not(HasSubstr("void prepare(..)")));
  EXPECT_THAT(contract_text(contract, nullptr), HasSubstr("its values never change"));
}

TEST(Contract, tells_constants) {
  TaskContract contract = doubled();
  contract.constants = {{"taps", 4}};
  EXPECT_THAT(contract_text(contract, nullptr),
              HasSubstr("- taps = 4 at every shape; it is no argument\n"));
}

Sections sections_of(const std::map<std::string, std::string>& options, const Context& context) {
  const Node node = test::text_options(options);
  ParamLog log;
  Params params(&node, "", log);
  const PromptSections sections(params);
  EXPECT_THAT(log.errors, testing::IsEmpty());
  return sections.write({{}, context});
}

TEST(Contract, and_device_are_sections_that_can_be_switched_off) {
  const TaskContract contract = doubled();
  const DeviceSheet sheet = slow_memory();
  Context context{{}, "Doubles.", {1, 0, 0}};
  context.hardware = "clay";
  context.contract = &contract;
  context.sheet = &sheet;
  Sections shown = sections_of({}, context);
  EXPECT_THAT(shown["contract"], testing::StartsWith("## Contract\n"));
  EXPECT_EQ(shown["device"], "## Device\nProcessor: of clay\n");
  EXPECT_EQ(shown["hardware"], "") << "the sheet begins with that";
  Sections off = sections_of({{"context.contract", "false"}, {"context.device", "false"}}, context);
  EXPECT_EQ(off["contract"], "");
  EXPECT_EQ(off["device"], "");
  EXPECT_EQ(off["hardware"], "## Machine\nclay\n");
}

TEST(Contract, without_a_task_or_a_sheet_has_no_section) {
  Context context{{}, "A function.", {1, 0, 0}};
  context.hardware = "clay";
  const DeviceSheet empty;
  context.sheet = &empty;
  Sections shown = sections_of({}, context);
  EXPECT_EQ(shown["contract"], "");
  EXPECT_EQ(shown["device"], "");
  EXPECT_EQ(shown["hardware"], "## Machine\nclay\n");
}

}  // namespace
}  // namespace ke

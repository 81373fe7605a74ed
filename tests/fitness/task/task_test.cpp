#include "fitness/task.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/fitness/content/sample_tasks.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ke {
namespace {

using sample::replaced;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

std::string error_of(const std::string& text) {
  const auto task = read_task(sample::document(text), sample::folder());
  return task ? "accepted" : task.error().message;
}

TEST(task, is_read_whole) {
  const Task task = sample::task(sample::softmax_text());
  EXPECT_EQ(task.name, "softmax");
  EXPECT_EQ(task.op_type, "softmax");
  EXPECT_THAT(task.axes, ElementsAre("rows", "cols"));
  EXPECT_THAT(task.axis_arguments, ElementsAre("rows", "cols"));
  ASSERT_EQ(task.tensors.size(), 2u);
  EXPECT_EQ(task.tensors[0].name, "x");
  EXPECT_EQ(task.tensors[0].classes.size(), 8u);
  EXPECT_FALSE(task.tensors[0].output);
  EXPECT_TRUE(task.tensors[1].output);
  EXPECT_EQ(task.nonfinite, Nonfinite::row_nan);
  EXPECT_EQ(task.subnormals, Subnormals::flush);
  EXPECT_THAT(task.permute_axes, ElementsAre("rows", "cols"));
  EXPECT_EQ(task.tolerance.relative, 2e-5);
  EXPECT_EQ(task.tolerance.relative_l2, 1e-5);
  EXPECT_EQ(task.tolerance.scale, 1e-6);
  EXPECT_THAT(task.kernels,
              ElementsAre(Pair("naive", "// naive\n"), Pair("anchor", "// vectorised\n"),
                          Pair("online", "// online\n")));
  EXPECT_THAT(task.baselines, ElementsAre(Pair("library", "// library\n")));
  ASSERT_EQ(task.workloads.size(), 6u);
  EXPECT_EQ(task.workloads[1].label, "rows=64 cols=128");
  EXPECT_EQ(task.workloads[1].role, Role::bench);
  EXPECT_EQ(task.workloads[5].role, Role::holdout);
  EXPECT_EQ(*task.value(task.bytes, task.workloads[1]), 8 * 64 * 128);
  EXPECT_EQ(*task.elements(task.tensors[0], task.workloads[0]), 3 * 127);
  EXPECT_EQ(task.flops_min, std::nullopt);
  EXPECT_EQ(task.include_dir, "");
}

TEST(task, effects_and_int_inputs_are_read) {
  const Task matvec = sample::task(sample::matvec_text());
  ASSERT_EQ(matvec.scale_rules.size(), 2u);
  EXPECT_EQ(matvec.scale_rules[1].input, "x");
  EXPECT_EQ(matvec.scale_rules[1].output, "y");
  EXPECT_EQ(matvec.scale_rules[1].degree, 1);
  EXPECT_EQ(matvec.sign_rules.size(), 2u);
  EXPECT_EQ(*matvec.value(matvec.flops_min.value(), matvec.workloads[0]), 21);
  const Task gather = sample::task(sample::gather_text());
  EXPECT_FALSE(gather.tensors[0].changes);
  EXPECT_EQ(gather.tensors[1].dtype, Dtype::int32);
  EXPECT_EQ(gather.tensors[1].range_high.text(), "entries");
  EXPECT_EQ(gather.tensors[3].dtype, Dtype::int32);
}

TEST(task, signature_decides_the_order_of_tensors) {
  const Task task = sample::task(
      replaced(sample::matvec_text(), "[a, x, y, rows, cols]", "[x, a, y, cols, rows]"));
  EXPECT_EQ(task.tensors[0].name, "x");
  EXPECT_EQ(task.tensors[1].name, "a");
  EXPECT_THAT(task.axis_arguments, ElementsAre("cols", "rows"));
}

TEST(task, fixed_axes_are_constants_and_no_arguments) {
  std::string text = replaced(sample::gather_text(), "entries: var", "entries: 12");
  text = replaced(text, "twice, entries, n]", "twice, n]");
  for (std::size_t at; (at = text.find("{entries: ")) != text.npos;) {
    if (text.compare(at, 12, "{entries: 12") == 0) {
      text.replace(at, 10, "{ entries: ");
      continue;
    }
    text.erase(at + 1, text.find("n:", at) - at - 1);
  }
  const Task task = sample::task(text);
  EXPECT_EQ(task.constants.at("entries"), 12);
  EXPECT_THAT(task.axis_arguments, ElementsAre("n"));
  EXPECT_EQ(*task.elements(task.tensors[0], task.workloads[0]), 12);
  EXPECT_EQ(task.workloads[0].label, "n=7");
}

TEST(task, kernels_are_found_by_name_and_by_stem) {
  const Task task = sample::task(sample::softmax_text());
  EXPECT_EQ(*task.kernel_source("anchor"), "// vectorised\n");
  EXPECT_EQ(*task.kernel_source("vectorised"), "// vectorised\n");
  EXPECT_EQ(*task.kernel_source("online"), "// online\n");
  EXPECT_EQ(task.kernel_source("missing"), nullptr);
}

struct Wrong {
  const char* from;
  std::string to;
  const char* message;
};

class WrongSoftmax : public testing::TestWithParam<Wrong> {};

TEST_P(WrongSoftmax, is_refused_with_its_reason) {
  EXPECT_THAT(error_of(replaced(sample::softmax_text(), GetParam().from, GetParam().to)),
              HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    task, WrongSoftmax,
    testing::Values(
        Wrong{"kernelevolve-task/1", "kernelevolve-task/2",
              "'schema' = kernelevolve-task/2 is not kernelevolve-task/1"},
        Wrong{"name: softmax,", "", "'name' is missing"},
        Wrong{"threads: 1", "threads: 0", "'threads' = 0 is outside [1, 1024]"},
        Wrong{"threads: 1", "treads: 1", "unknown key 'treads'; did you mean 'threads'?"},
        Wrong{"rows: var", "rows: 0", "'axes.rows' = 0 is outside"},
        Wrong{"{x: {shape: [rows, cols]", "{x: {shape: [rows, col]",
              "names the unknown axis 'col'; did you mean 'cols'?"},
        Wrong{"{x: {shape: [rows, cols]", "{x: {shape: [rows, \"cols +\"]", "'inputs.x.shape' "},
        Wrong{"{x: {shape: [rows, cols],", "{x: {", "'inputs.x.shape' is missing"},
        Wrong{"{y: {shape: [rows, cols]", "{x: {shape: [rows, cols]", "'outputs.x' is named twice"},
        Wrong{"align: 64", "align: 48", "'inputs.x.align' = 48 is not a power of two"},
        Wrong{"dtype: float32", "dtype: float23", "did you mean 'float32'?"},
        Wrong{"dtype: float32", "dtype: bfloat16",
              "'inputs' has 'x' of bfloat16, which kernels in C++20 do not take: they take "
              "float32, int32, int64, int8, uint8, bool, float64; bfloat16 is taken by CUDA C++, "
              "CuTe DSL, FlyDSL, HIP C++, Triton"},
        Wrong{"align: 64, changes", "scale: 3, align: 64, changes",
              "'inputs.x.scale' = 3 is not a power of two"},
        Wrong{"align: 64, changes", "scale: 2199023255552, align: 64, changes",
              "'inputs.x.scale' = 2199023255552 is outside"},
        Wrong{"dtype: float32, align: 64, changes: every_call",
              "dtype: int32, scale: 2, range: [0, 9], align: 64", "unknown key 'inputs.x.scale'"},
        Wrong{"dtype: float32, align: 64, changes: every_call",
              "dtype: bool, range: [0, 2], align: 64", "unknown key 'inputs.x.range'"},
        Wrong{"dtype: float32, align: 64, changes: every_call", "dtype: bool, align: 64",
              "names 'normal', which is not one of uniform | constant"},
        Wrong{"dtype: float32, align: 64, changes: every_call",
              "dtype: int8, range: [-129, 9], align: 64",
              "= [-129, ..] does not begin with an integer of int8, [-128, 127]"},
        Wrong{"dtype: float32, align: 64, changes: every_call",
              "dtype: uint8, range: [-1, 9], align: 64",
              "= [-1, ..] does not begin with an integer of uint8, [0, 255]"},
        Wrong{"one_hot", "overflow", "names 'overflow', which is not one of"},
        Wrong{"one_hot", "onehot", "names 'onehot', which is not one of"},
        Wrong{"align: 64", "align: 64, avoid: [ofset]", "did you mean 'offset'?"},
        Wrong{"align: 64", "align: 64, avoid: [density]", "names 'density', which is not one of"},
        Wrong{"align: 64", "align: 64, numbers: [a]", "holds 'a', which is not a finite number"},
        Wrong{"align: 64", "align: 64, numbers: [inf]",
              "holds 'inf', which is not a finite number"},
        Wrong{"dtype: float32, align: 64, changes: every_call", "dtype: int32, align: 64",
              "'inputs.x.range' must be [low"},
        Wrong{"[x, y, rows, cols]", "[x, y, rows]", "'signature' lacks axis 'cols'"},
        Wrong{"[x, y, rows, cols]", "[x, rows, cols]", "'signature' lacks tensor 'y'"},
        Wrong{"[x, y, rows, cols]", "[y, x, rows, cols]", "'signature' has 'x' too late"},
        Wrong{"[x, y, rows, cols]", "[x, y, rows, rows, cols]", "'signature' names 'rows' twice"},
        Wrong{"[x, y, rows, cols]", "[x, y, z, rows, cols]",
              "names 'z', which is no tensor and no variable axis"},
        Wrong{"nonfinite: row_nan", "nonfinite: nan", "'nonfinite' = nan is not one of"},
        Wrong{"aggregate: geometric_mean", "aggregate: mean",
              "'aggregate' = mean is not one of geometric_mean"},
        Wrong{"role: bench}", "role: bench, weight: 0}",
              "= 0 is outside [1e-09, 1000000000000000]"},
        Wrong{"role: test}", "role: test, weight: 2}", "stands at role test, which is not timed"},
        Wrong{"{permute: [rows, cols]}", "{permute: [lanes]}",
              "'transforms.permute' names the unknown axis 'lanes'"},
        Wrong{"{y: {shape: [rows, cols]", "{y: {shape: [rows, \"2*cols\"]",
              "names 'cols', which is only part of dimension '2*cols' of 'y'"},
        Wrong{"{permute: [rows, cols]}", "{scale: {y: {y: 1}}}",
              "'transforms.scale.y' is no floating-point input"},
        Wrong{"{permute: [rows, cols]}", "{scale: {x: {}}}", "'transforms.scale.x.y' is missing"},
        Wrong{"{permute: [rows, cols]}", "{scale_together: [y]}",
              "'transforms.scale_together' names 'y', no floating-point input"},
        Wrong{"{permute: [rows, cols]}", "{scale_together: [x, x]}", "names 'x' twice"},
        Wrong{"{permute: [rows, cols]}", "{scale: {x: {y: 1}}, scale_together: [x]}",
              "names 'x', which 'scale' names too"},
        Wrong{"row: cols", "row: cols, ranges: {lanes: [1, 9]}",
              "'ranges.lanes' is no axis that varies"},
        Wrong{"row: cols", "row: cols, ranges: {col: [1, 9999999]}", "did you mean 'cols'?"},
        Wrong{"row: cols", "row: cols, ranges: {cols: [9]}",
              "'ranges.cols' = [9] is not [least, greatest] with 1 <= least <= greatest <= "},
        Wrong{"row: cols", "row: cols, ranges: {cols: [9, 1]}", "'ranges.cols' = [9, 1] is not"},
        Wrong{"row: cols", "row: cols, ranges: {cols: [1.5, 9e6]}", "= [1.5, 9e6] is not"},
        Wrong{"row: cols", "row: cols, ranges: {cols: [1, 100]}",
              "'ranges.cols' = [1, 100] leaves out workload rows="},
        Wrong{"relative: 2.0e-5", "relative: 2", "'tolerance.relative' = 2 is outside [0, 0.5]"},
        Wrong{"row: cols", "row: width", "'row' names the unknown axis 'width'"},
        Wrong{"row: cols", "row: \"cols-cols\"", "makes row 'cols-cols' less than 1"},
        Wrong{"8*rows*cols", "8*rows/(cols-127)", "division by zero"},
        Wrong{"softmax_reference.cpp", "missing.cpp",
              "'reference' = missing.cpp is not a file of at most 1048576 bytes that can be read"},
        Wrong{"softmax_reference.cpp", std::string(300, 'x'), "is not a file of at most"},
        Wrong{"softmax_reference.cpp", "/etc/passwd", "must be relative to the task's folder"},
        Wrong{"naive: naive.cpp,", "", "'kernels.naive' is missing"},
        Wrong{"anchor: vectorised.cpp,", "", "'kernels.anchor' is missing"},
        Wrong{"others: [online.cpp]", "others: [online.cpp, online.cpp]",
              "names kernel 'online' twice"},
        Wrong{"library: library.cpp", "library: other.cpp",
              "'baselines.library' = other.cpp is not a file"},
        Wrong{"reference: softmax", "include: headers, reference: softmax",
              "'include' = headers is no folder"},
        Wrong{"reference: softmax", "include: " + std::string(300, 'x') + ", reference: softmax",
              "is no folder"},
        Wrong{"reference: softmax", "include: /no/such/folder, reference: softmax",
              "'include' = /no/such/folder is no folder"},
        Wrong{"{rows: 3, cols: 127, role: test}", "{rows: 3, role: test}",
              "'workloads.0.cols' is missing"},
        Wrong{"cols: 127, role: test}", "cols: 127}", "'workloads.0.role' is missing"},
        Wrong{"cols: 127, role: test}", "cols: 127, role: tests}", "did you mean 'test'?"},
        Wrong{"rows: 3, cols: 127", "rows: 3, cols: 127, depth: 1",
              "unknown key 'workloads.0.depth'"},
        Wrong{"{rows: 31, cols: 11,", "{rows: 30, cols: 10,", "repeats workload rows=30 cols=10"},
        Wrong{"{rows: 3, cols: 127,", "{rows: 1000000000, cols: 1000,",
              "makes tensor 'x' larger than 64 GiB"},
        Wrong{"{rows: 3, cols: 127,", "{rows: 1000000000, cols: 10000000000,", "too large"},
        Wrong{"role: bench", "role: test", "'workloads' has 0 of role bench, at least 1 needed"},
        Wrong{"cols: 127, role: test", "cols: 127, role: holdout",
              "'workloads' has 0 of role test, at least 1 needed"}));

TEST(task, may_have_no_shapes_for_validation_and_holdout) {
  const std::string text = sample::softmax_text();
  const std::size_t at = text.find(",\n      {rows: 20");
  ASSERT_NE(at, text.npos);
  const Task task = sample::task(text.substr(0, at) + "]}");
  EXPECT_EQ(task.workloads.size(), 2u);
  EXPECT_FALSE(task.has_one_shape());
  EXPECT_THAT(task.test_workloads(), ElementsAre(&task.workloads[0]));
}

std::string one_shape_text(const std::string& workloads) {
  const std::string text =
      replaced(sample::softmax_text(), "axes: {rows: var, cols: var}", "axes: {rows: 64, cols: 8}");
  return replaced(text.substr(0, text.find("workloads: ")), "[x, y, rows, cols]", "[x, y]") +
         "workloads: [" + workloads + "]}";
}

TEST(task, has_one_workload_for_all_purposes_where_no_axis_varies) {
  const Task task = sample::task(one_shape_text("{role: bench}"));
  EXPECT_TRUE(task.has_one_shape());
  ASSERT_EQ(task.workloads.size(), 1u);
  EXPECT_EQ(task.workloads[0].label, "one shape");
  EXPECT_THAT(task.test_workloads(), ElementsAre(&task.workloads[0]));
  EXPECT_EQ(*task.elements(task.tensors[0], task.workloads[0]), 512);
  EXPECT_THAT(error_of(one_shape_text("{role: bench}, {role: test}")),
              HasSubstr("'workloads.1.role' repeats the only shape: where no axis varies, the task "
                        "has one workload, of role bench"));
  EXPECT_THAT(error_of(one_shape_text("{role: test}")),
              HasSubstr("'workloads' has 0 of role bench, at least 1 needed"));
}

class TaskHeaders : public testing::Test {
 protected:
  /// The task's folder is that of the samples; its headers are in this test's own folder.
  std::string error() const {
    const auto path = std::filesystem::relative(headers.path(), sample::folder()).string();
    return error_of(replaced(sample::softmax_text(), "reference: softmax",
                             "include: " + path + ", reference: softmax"));
  }
  void write(const std::string& name, std::size_t bytes) const {
    headers.write(name, std::string(bytes, ' '));
  }
  const test::TemporaryFolder headers;
};

TEST_F(TaskHeaders, are_sources_of_at_most_a_mebibyte) {
  write("large.h", 1U << 20);
  EXPECT_EQ(error(), "accepted");
  write("larger.h", (1U << 20) + 1);
  EXPECT_THAT(error(), HasSubstr("holds larger.h, which is not a file of at most 1048576 bytes"));
}

TEST_F(TaskHeaders, are_no_pipes) {
  ASSERT_EQ(mkfifo(headers.file("pipe.h").c_str(), 0600), 0);
  EXPECT_THAT(error(), HasSubstr("holds pipe.h, which is not a file"));
}

TEST_F(TaskHeaders, are_not_a_file_system) {
  for (int i = 0; i < 1000; ++i) write(std::to_string(i), 0);
  EXPECT_EQ(error(), "accepted");
  std::filesystem::create_directory(headers / "folder");
  EXPECT_THAT(error(), HasSubstr("holds more than 1000 files and folders"));
}

TEST_F(TaskHeaders, are_of_16_mebibytes_together) {
  for (int i = 0; i < 17; ++i) write(std::to_string(i), 1000000);
  EXPECT_THAT(error(), HasSubstr("holds more than 16777216 bytes"));
}

TEST(task, empty_int_ranges_are_refused) {
  EXPECT_THAT(
      error_of(replaced(sample::gather_text(), "range: [0, entries]", "range: [3, entries]")),
      HasSubstr("leaves no range of int32 for 'index': [3, entries)"));
}

TEST(task, all_errors_come_at_once_with_their_places) {
  std::string text = replaced(sample::softmax_text(), "threads: 1", "threads: 0");
  text = replaced(text, "nonfinite: row_nan", "nonfinite: nan");
  text = replaced(text, "row: cols", "row: width");
  const std::string message = error_of(text);
  EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 2) << message;
  EXPECT_THAT(message, HasSubstr("task.yaml:1:" + std::to_string(text.find("threads: 0") + 10) +
                                 ": 'threads'"));
}

TEST(task, tensors_of_every_type_and_rank_0_are_read) {
  const Task task = sample::task(sample::mixed_text());
  EXPECT_EQ(task.tensors[0].dtype, Dtype::int64);
  EXPECT_EQ(task.tensors[0].range_low, -1099511627776);
  EXPECT_EQ(task.tensors[2].dtype, Dtype::boolean);
  EXPECT_EQ(task.tensors[2].range_high.text(), "2");
  for (const std::size_t rank_0 : {5u, 6u}) {
    EXPECT_EQ(*task.elements(task.tensors[rank_0], task.workloads[1]), 1);
  }
}

TEST(task, a_range_ends_within_its_type) {
  for (const auto& [from, to, type] :
       {std::tuple{"range: [-127, 128]", "range: [-127, 129]", "int8"},
        {"range: [0, 128]", "range: [0, 257]", "uint8"},
        {"range: [0, 128]", "range: [0, n]", "uint8"}}) {
    EXPECT_THAT(error_of(replaced(sample::mixed_text(), from, to)),
                HasSubstr(std::string("leaves no range of ") + type + " for '"));
  }
}

TEST(task, kernels_that_searches_found_are_its_kernels_and_no_part_of_the_hash) {
  const std::string folder = sample::folder();
  std::ofstream(folder + "/model.cpp") << "// model\n";
  const std::string without = sample::softmax_text();
  const std::string with =
      replaced(without, "others: [online.cpp]", "others: [online.cpp], found: [model.cpp]");
  const auto task = read_task(sample::document(with), folder);
  ASSERT_TRUE(task);
  EXPECT_THAT(task->found, ElementsAre("model"));
  EXPECT_EQ(*task->kernel_source("model"), "// model\n");
  EXPECT_EQ(task->content_hash, read_task(sample::document(without), folder)->content_hash);
}

TEST(task, a_share_of_elements_and_a_cap_are_part_of_the_hash_only_where_given) {
  const std::string text = sample::softmax_text();
  const Task plain = sample::task(text);
  const auto with = [&](const std::string& more) {
    return sample::task(replaced(text, "scale: 1.0e-6", "scale: 1.0e-6" + more));
  };
  EXPECT_EQ(plain.tolerance.matched_ratio, 1);
  EXPECT_FALSE(plain.tolerance.counts_misses());
  EXPECT_EQ(with(", matched_ratio: 1, absolute: 0").content_hash, plain.content_hash);
  const Task shared = with(", matched_ratio: 0.95, absolute: 0.01, max_error: 3");
  EXPECT_EQ(shared.tolerance.matched_ratio, 0.95);
  EXPECT_EQ(shared.tolerance.absolute, 0.01);
  EXPECT_EQ(shared.tolerance.max_error, 3);
  EXPECT_EQ(shared.tolerance.relative_l2, 1e-5);
  EXPECT_NE(shared.content_hash, plain.content_hash);
  EXPECT_NE(with(", max_error: 3").content_hash, plain.content_hash);
  const Task normless = sample::task(replaced(text, "relative_l2: 1.0e-5", "matched_ratio: 0.95"));
  EXPECT_TRUE(std::isinf(normless.tolerance.relative_l2));
  EXPECT_THAT(error_of(replaced(text, "scale: 1.0e-6", "scale: 1.0e-6, matched_ratio: 0")),
              HasSubstr("'tolerance.matched_ratio' = 0 is outside [0.001, 1]"));
}

TEST(task, a_share_of_elements_rounds_to_whole_ones) {
  Tolerance tolerance;
  for (const std::int64_t n : {1, 7, 1000, 123'456'789}) EXPECT_EQ(tolerance.most_misses(n), 0);
  tolerance.matched_ratio = 0.9;
  EXPECT_EQ(tolerance.most_misses(10), 1);
  EXPECT_EQ(tolerance.most_misses(9), 0);
  tolerance.matched_ratio = 0.99;
  EXPECT_EQ(tolerance.most_misses(100), 1);
  EXPECT_EQ(tolerance.most_misses(99), 0);
  EXPECT_EQ(tolerance.most_misses(100'000'000), 1'000'000);
}

TEST(task, libraries_are_for_kernels_in_cpp_and_category_is_no_part_of_the_hash) {
  const std::string text = sample::softmax_text();
  const auto with = [&](const std::string& more) {
    return replaced(text, "name: softmax,", "name: softmax, " + more + ",");
  };
  const Task plain = sample::task(text);
  EXPECT_FALSE(plain.libraries);
  EXPECT_EQ(sample::task(with("libraries: forbidden")).content_hash, plain.content_hash);
  EXPECT_NE(sample::task(with("libraries: allowed")).content_hash, plain.content_hash);
  const Task grouped = sample::task(with("category: \"level 1\""));
  EXPECT_EQ(grouped.category, "level 1");
  EXPECT_EQ(grouped.content_hash, plain.content_hash);
  const std::string cuda = sample::half_matvec_text("float16");
  EXPECT_THAT(error_of(replaced(cuda, "axes:", "libraries: allowed, axes:")),
              HasSubstr("'libraries' = allowed is for kernels in C++"));
  EXPECT_THAT(error_of(replaced(with("libraries: allowed"), "threads: 1", "threads: 2")),
              HasSubstr("'libraries' = allowed is for kernels of one thread"));
}

TEST(task, products_may_be_in_tf32_for_kernels_in_cuda) {
  const std::string text = sample::softmax_text(), cuda = sample::half_matvec_text("float32");
  const auto with = [&](const std::string& math) {
    return replaced(cuda, "axes:", math + "axes:");
  };
  const Task plain = sample::task(cuda), tf32 = sample::task(with("math: tf32, "));
  EXPECT_EQ(std::pair(plain.tf32, tf32.tf32), std::pair(false, true));
  EXPECT_EQ(sample::task(with("math: float32, ")).content_hash, plain.content_hash);
  EXPECT_NE(tf32.content_hash, plain.content_hash);
  EXPECT_THAT(error_of(replaced(text, "name: softmax,", "name: softmax, math: tf32,")),
              HasSubstr("'math' = tf32 is for kernels in CUDA: those in C++20 have no TF32"));
}

TEST(task, ranges_of_axes_are_read_and_part_of_the_hash) {
  const std::string text = sample::softmax_text();
  const std::string ranged = replaced(text, "row: cols", "row: cols, ranges: {cols: [1, 1e6]}");
  const Task task = sample::task(ranged);
  EXPECT_EQ(axis_range(task, "cols").low, 1);
  EXPECT_EQ(axis_range(task, "cols").high, 1000000);
  EXPECT_EQ(axis_range(task, "rows").high, axis_range(sample::task(text), "rows").high);
  EXPECT_NE(task.content_hash, sample::task(text).content_hash);
}

TEST(task, headers_are_found_in_the_nearest_of_three_folders) {
  const std::string top = sample::folder();
  const std::string folder = top + "/group/task";
  std::filesystem::create_directories(top + "/include");
  std::filesystem::create_directories(folder);
  std::filesystem::copy(top, folder);
  EXPECT_EQ(read_task(sample::document(sample::softmax_text()), folder)->include_dir,
            top + "/include");
  const std::filesystem::path beside = top + "/group/include";
  std::filesystem::create_directories(beside);
  EXPECT_EQ(read_task(sample::document(sample::softmax_text()), folder)->include_dir,
            beside.string());
  std::filesystem::create_directories(folder + "/include");
  EXPECT_EQ(read_task(sample::document(sample::softmax_text()), folder)->include_dir,
            folder + "/include");
}

TEST(task, place_of_absolute_headers_is_no_part_of_the_content) {
  const std::string top = sample::folder();
  const auto hash = [&](const std::string& headers, const std::string& text) {
    std::filesystem::create_directories(top + headers);
    std::ofstream(top + headers + "/h.hpp") << text;
    std::string task = sample::softmax_text();
    const std::string key = "reference: softmax";
    task.replace(task.find(key), key.size(), "include: " + top + headers + ", " + key);
    return read_task(sample::document(task), top)->content_hash;
  };
  EXPECT_EQ(hash("/a", "1"), hash("/b", "1"));
  EXPECT_NE(hash("/a", "1"), hash("/b", "2"));
}

}  // namespace
}  // namespace ke

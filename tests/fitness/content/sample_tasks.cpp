#include "tests/fitness/content/sample_tasks.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "fitness/cpu/build_reference.hpp"

namespace ke::sample {
namespace {

class FlowParser {
 public:
  explicit FlowParser(const std::string& text) : text_(text) {}
  Node parse() {
    skip();
    Node node;
    node.place = {"task.yaml", 1, static_cast<int>(at_) + 1};
    if (text_[at_] == '{') return map(std::move(node));
    if (text_[at_] == '[') return list(std::move(node));
    node.kind = Node::Kind::scalar;
    node.quoted = text_[at_] == '"';
    node.scalar = word();
    return node;
  }

 private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == ','))
      ++at_;
  }
  std::string word() {
    const bool quoted = text_[at_] == '"';
    const std::size_t end = quoted ? text_.find('"', at_ + 1) : text_.find_first_of(",:]}\n", at_);
    const std::string value = text_.substr(at_ + quoted, end - at_ - quoted);
    at_ = end + quoted;
    return value;
  }
  Node map(Node node) {
    node.kind = Node::Kind::map;
    for (++at_, skip(); text_[at_] != '}'; skip()) {
      const Place place{"task.yaml", 1, static_cast<int>(at_) + 1};
      std::string key = word();
      ++at_;  // the colon
      node.entries.push_back({std::move(key), place, parse()});
    }
    ++at_;
    return node;
  }
  Node list(Node node) {
    node.kind = Node::Kind::list;
    for (++at_, skip(); text_[at_] != ']'; skip()) node.items.push_back(parse());
    ++at_;
    return node;
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

constexpr const char* softmax_oracle = R"(
#include <cmath>
#include <cstddef>
extern "C" void reference(const double* x, double* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    double top = x[0], total = 0;
    for (std::size_t c = 0; c < cols; ++c)
      if (std::isnan(x[c]) || x[c] > top) top = x[c];
    for (std::size_t c = 0; c < cols; ++c) total += y[c] = std::exp(x[c] - top);
    for (std::size_t c = 0; c < cols; ++c) y[c] /= total;
  }
}
)";
constexpr const char* matvec_oracle = R"(
#include <cstddef>
extern "C" void reference(const double* a, const double* x, double* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r) {
    y[r] = 0;
    for (std::size_t c = 0; c < cols; ++c) y[r] += a[r * cols + c] * x[c];
  }
}
)";
constexpr const char* centred_oracle = R"(
#include <cstddef>
extern "C" void reference(const double* x, const double* weight, double* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    double sum = 0;
    for (std::size_t c = 0; c < cols; ++c) sum += x[c];
    for (std::size_t c = 0; c < cols; ++c) y[c] = (x[c] - sum / static_cast<double>(cols)) * weight[c];
  }
}
)";
constexpr const char* gather_oracle = R"(
#include <cstddef>
#include <cstdint>
extern "C" void reference(const double* table, const std::int32_t* index, double* y, std::int32_t* twice,
                          std::size_t entries, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    y[i] = table[index[i]];
    twice[i] = 2 * index[i];
  }
  (void)entries;
}
)";

constexpr const char* mixed_oracle = R"(
#include <cstddef>
#include <cstdint>
extern "C" void reference(const std::int64_t* a, const double* x, const bool* keep, const std::int8_t* s,
                          const std::uint8_t* u, const double* bias, std::int64_t* sum, double* y, bool* high,
                          std::int8_t* less, std::uint8_t* twice, std::size_t n) {
  sum[0] = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (keep[i]) sum[0] += a[i];
    y[i] = x[i] * x[i] + bias[0];
    high[i] = a[i] > (std::int64_t{1} << 33);
    less[i] = static_cast<std::int8_t>(s[i] - 1);
    twice[i] = static_cast<std::uint8_t>(2 * u[i]);
  }
}
)";

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string unique_folder() {
  static int count = 0;
  const std::string path =
      testing::TempDir() + "ke_tasks_" + std::to_string(getpid()) + "/" + std::to_string(count++);
  std::filesystem::create_directories(path);
  return path;
}

Result<Compiler> compiler(SandboxLevel level) {
  CompilerOptions options;
  options.tools_dir = KE_BINARY_DIR;
  options.level = level;
  return Compiler::create(options);
}

}  // namespace

Node document(const std::string& text) { return FlowParser(text).parse(); }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

std::string softmax_text() {
  return R"({schema: kernelevolve-task/1, name: softmax, description: "rows", op_type: softmax,
    axes: {rows: var, cols: var}, signature: [x, y, rows, cols],
    inputs: {x: {shape: [rows, cols], dtype: float32, align: 64, changes: every_call,
                 classes: [normal, large, tiny, positive, constant, one_hot, sorted, nan_inf]}},
    outputs: {y: {shape: [rows, cols], dtype: float32, align: 64}},
    threads: 1, nonfinite: row_nan, subnormals: flush, transforms: {permute: [rows, cols]},
    tolerance: {relative: 2.0e-5, relative_l2: 1.0e-5, scale: 1.0e-6}, row: cols,
    cost: {bytes: "8*rows*cols", flops: "5*rows*cols"}, aggregate: geometric_mean,
    reference: softmax_reference.cpp,
    kernels: {naive: naive.cpp, anchor: vectorised.cpp, others: [online.cpp]},
    baselines: {library: library.cpp},
    workloads: [{rows: 3, cols: 127, role: test}, {rows: 64, cols: 128, role: bench},
      {rows: 20, cols: 50, role: validation}, {rows: 30, cols: 10, role: holdout},
      {rows: 31, cols: 11, role: holdout}, {rows: 32, cols: 12, role: holdout}]})";
}

std::string matvec_text() {
  return R"({schema: kernelevolve-task/1, name: matvec, axes: {rows: var, cols: var},
    signature: [a, x, y, rows, cols],
    inputs: {a: {shape: [rows, cols], classes: [normal, tiny, large]}, x: {shape: [cols]}},
    outputs: {y: {shape: [rows]}}, transforms: {permute: [rows, cols], scale: {a: {y: 1}, x: {y: 1}},
      sign: {a: {y: 1}, x: {y: 1}}},
    tolerance: {relative: 1.0e-4, relative_l2: 1.0e-5, scale: 1.0e-4}, row: rows,
    cost: {bytes: "4*rows*cols", flops: "2*rows*cols", flops_min: "rows*cols"},
    reference: matvec_reference.cpp, kernels: {naive: naive.cpp, anchor: vectorised.cpp},
    workloads: [{rows: 3, cols: 7, role: test}, {rows: 64, cols: 128, role: bench},
      {rows: 30, cols: 10, role: holdout}, {rows: 31, cols: 11, role: holdout},
      {rows: 32, cols: 12, role: holdout}]})";
}

std::string gather_text() {
  return R"({schema: kernelevolve-task/1, name: gather, axes: {entries: var, n: var},
    signature: [table, index, y, twice, entries, n],
    inputs: {table: {shape: [entries], changes: never},
             index: {shape: [n], dtype: int32, range: [0, entries], classes: [uniform, zipf, constant, sequential]}},
    outputs: {y: {shape: [n]}, twice: {shape: [n], dtype: int32}},
    transforms: {permute: [entries, n], scale: {table: {y: 1, twice: 0}}},
    tolerance: {relative: 0.0, relative_l2: 0.0}, row: n,
    reference: gather_reference.cpp, kernels: {naive: naive.cpp, anchor: vectorised.cpp},
    workloads: [{entries: 3, n: 7, role: test}, {entries: 64, n: 128, role: bench},
      {entries: 30, n: 10, role: holdout}, {entries: 31, n: 11, role: holdout},
      {entries: 32, n: 12, role: holdout}]})";
}

std::string centred_text() {
  return R"({schema: kernelevolve-task/1, name: centred, axes: {rows: var, cols: var},
    signature: [x, weight, y, rows, cols],
    inputs: {x: {shape: [rows, cols], classes: [positive]}, weight: {shape: [cols]}},
    outputs: {y: {shape: [rows, cols]}}, transforms: {permute: [rows, cols]},
    tolerance: {relative: 1.0e-4, relative_l2: 4.0e-5, scale: 1.0e-4}, row: cols,
    reference: centred_reference.cpp, kernels: {naive: naive.cpp, anchor: vectorised.cpp},
    workloads: [{rows: 3, cols: 7, role: test}, {rows: 64, cols: 128, role: bench},
      {rows: 30, cols: 10, role: holdout}, {rows: 31, cols: 11, role: holdout},
      {rows: 32, cols: 12, role: holdout}]})";
}

std::string half_matvec_text(const std::string& dtype, const std::string& classes) {
  return "{schema: kernelevolve-task/1, name: matvec, axes: {rows: var, cols: var}, "
         "signature: [a, x, y, rows, cols], inputs: {a: {shape: [rows, cols], dtype: " +
         dtype + ", classes: [" + classes + "]}, x: {shape: [cols], dtype: " + dtype +
         "}}, outputs: {y: {shape: [rows], dtype: " + dtype +
         R"(}}, transforms: {permute: [rows, cols], scale: {a: {y: 1}}, sign: {a: {y: 1}}},
    tolerance: {relative: 1.0e-4, relative_l2: 1.0e-5, scale: 1.0e-4}, row: rows,
    reference: matvec_reference.cpp, kernels: {naive: naive.cu, anchor: vectorised.cu},
    workloads: [{rows: 3, cols: 7, role: test}, {rows: 64, cols: 128, role: bench},
      {rows: 30, cols: 10, role: holdout}, {rows: 31, cols: 11, role: holdout},
      {rows: 32, cols: 12, role: holdout}]})";
}

std::string mixed_text() {
  return R"({schema: kernelevolve-task/1, name: mixed, axes: {n: var},
    signature: [a, x, keep, s, u, bias, sum, y, high, less, twice, n],
    inputs: {a: {shape: [n], dtype: int64, range: [-1099511627776, 1099511627776],
                 classes: [uniform, zipf, constant, sequential]},
             x: {shape: [n], dtype: float64, classes: [normal, large, positive]},
             keep: {shape: [n], dtype: bool, classes: [uniform, constant]},
             s: {shape: [n], dtype: int8, range: [-127, 128]},
             u: {shape: [n], dtype: uint8, range: [0, 128]},
             bias: {shape: [], dtype: float64, scale: 0.0009765625}},
    outputs: {sum: {shape: [], dtype: int64}, y: {shape: [n], dtype: float64},
              high: {shape: [n], dtype: bool}, less: {shape: [n], dtype: int8},
              twice: {shape: [n], dtype: uint8}},
    tolerance: {relative: 1.0e-14, relative_l2: 1.0e-14}, row: n,
    cost: {bytes: "30*n", flops: "2*n"},
    reference: mixed_reference.cpp, kernels: {naive: mixed.cpp, anchor: mixed.cpp},
    workloads: [{n: 3, role: test}, {n: 1009, role: test}, {n: 20000, role: bench},
      {n: 30, role: holdout}, {n: 31, role: holdout}, {n: 32, role: holdout}]})";
}

std::string mixed_kernel() {
  return R"(#include <cstddef>
#include <cstdint>
extern "C" void kernel(const std::int64_t* a, const double* x, const bool* keep, const std::int8_t* s,
                       const std::uint8_t* u, const double* bias, std::int64_t* sum, double* y, bool* high,
                       std::int8_t* less, std::uint8_t* twice, std::size_t n) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (keep[i]) total += a[i];
    y[i] = x[i] * x[i] + bias[0];
    high[i] = a[i] > (std::int64_t{1} << 33);
    less[i] = static_cast<std::int8_t>(s[i] - 1);
    twice[i] = static_cast<std::uint8_t>(2 * u[i]);
  }
  sum[0] = total;
}
)";
}

std::string folder() {
  const std::string path = unique_folder() + "/task";
  std::filesystem::create_directories(path);
  write(path + "/softmax_reference.cpp", softmax_oracle);
  write(path + "/matvec_reference.cpp", matvec_oracle);
  write(path + "/gather_reference.cpp", gather_oracle);
  write(path + "/centred_reference.cpp", centred_oracle);
  write(path + "/mixed_reference.cpp", mixed_oracle);
  write(path + "/mixed.cpp", mixed_kernel());
  for (const char* name : {"naive", "vectorised", "online", "library"}) {
    write(path + "/" + name + ".cpp", std::string("// ") + name + "\n");
    write(path + "/" + name + ".cu", std::string("// ") + name + "\n");
  }
  return path;
}

Task task(const std::string& text) {
  auto result = read_task(document(text), folder());
  if (!result) ADD_FAILURE() << result.error().message;
  return *std::move(result);
}

Result<Reference> build_oracle(const Task& task, SandboxLevel level) {
  KE_TRY(const Compiler made, compiler(level));
  return build_reference(task, made, testing::TempDir());
}

const Reference& oracle(const Task& task) {
  static std::map<std::string, Reference> built;
  const auto found = built.find(task.reference_source);
  if (found != built.end()) return found->second;
  auto reference = build_oracle(task);
  if (!reference) ADD_FAILURE() << reference.error().message;
  return built.emplace(task.reference_source, *std::move(reference)).first->second;
}

Workload workload(std::map<std::string, std::int64_t> axes) {
  Workload made;
  made.axes = std::move(axes);
  return made;
}

Given::Given(const std::string& text, std::map<std::string, std::int64_t> axes,
             std::vector<double> expected, bool drawn)
    : task(sample::task(text)) {
  Workload at = sample::workload(std::move(axes));
  at.drawn = drawn;
  auto content = std::make_shared<Content>();
  content->task = &task;
  content->shapes = std::make_shared<const Shapes>(*resolve_shapes(task, at));
  content->inputs.resize(content->shapes->inputs);
  content->facts.push_back(facts_of(expected, content->shapes->row, task.tensors.back().dtype));
  content->expected.push_back(std::move(expected));
  fresh = untransformed(std::move(content));
}

Outputs::Outputs(const FreshContent& content) {
  const auto expected = expected_outputs(content);
  for (std::size_t o = 0; o < expected.size(); ++o) {
    const Dtype dtype = content.task().tensors[content.shapes().inputs + o].dtype;
    bytes.emplace_back(expected[o].size() * bytes_of(dtype));
    if (is_float(dtype)) {
      narrow_all(dtype, std::span<const double>(expected[o]), bytes.back().data());
      continue;
    }
    for_each_run(content.shapes().tensors[content.shapes().inputs + o], content.rotation,
                 [&](std::int64_t to, std::int64_t from, std::int64_t count) {
                   for (std::int64_t i = 0; i < count; ++i) {
                     put_int(dtype, bytes.back().data(), static_cast<std::size_t>(to + i),
                             content.entry->integers[o][static_cast<std::size_t>(from + i)]);
                   }
                 });
  }
}

std::vector<const std::byte*> Outputs::pointers() const {
  std::vector<const std::byte*> list;
  for (const auto& output : bytes) list.push_back(output.data());
  return list;
}

std::vector<std::vector<std::byte>> inputs_of(const FreshContent& content) {
  std::vector<std::vector<std::byte>> inputs;
  std::vector<std::byte*> destinations;
  for (const auto& source : content.entry->inputs) inputs.emplace_back(source.size());
  for (auto& input : inputs) destinations.push_back(input.data());
  write_inputs(content, destinations);
  return inputs;
}

std::vector<float> floats_of(const std::vector<std::byte>& bytes) {
  std::vector<float> values(bytes.size() / 4);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::vector<std::string> trivial_survivors(const Task& task,
                                           std::span<const FreshContent> contents) {
  auto answers = trivial_answers(task);
  refute(answers, contents);
  std::vector<std::string> names;
  for (const TrivialAnswer& answer : answers) {
    if (answer.refuted_by.empty()) names.push_back(answer.name);
  }
  return names;
}

}  // namespace ke::sample

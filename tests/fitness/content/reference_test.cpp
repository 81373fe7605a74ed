#include "fitness/content/reference.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <optional>
#include <thread>

#include "fitness/content/content_pool.hpp"
#include "fitness/sandbox/level.hpp"
#include "tests/fitness/content/sample_tasks.hpp"

namespace ke {
namespace {

using testing::HasSubstr;

constexpr char head[] = R"(
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
extern "C" void reference(const double* x, double* y, std::size_t rows, std::size_t cols) {
  const std::size_t n = rows * cols;
  for (std::size_t i = 0; i < n; ++i) y[i] = 2 * x[i];
)";

/// softmax's signature [x, y, rows, cols] with another oracle.
Task task_with(const std::string& body) {
  Task task = sample::task(sample::softmax_text());
  task.reference_source = head + body + "\n}\n";
  task.reference_file = "tasks/rows/reference.cpp";
  task.reference_limit_ms = 300;
  return task;
}

Workload rows_by_cols(std::int64_t rows, std::int64_t cols) {
  Workload made = sample::workload({{"rows", rows}, {"cols", cols}});
  made.label = "rows=" + std::to_string(rows) + " cols=" + std::to_string(cols);
  return made;
}

/// Error message of one call; "" if it succeeds.
std::string call(const std::string& body, std::int64_t rows = 3, std::int64_t cols = 5) {
  const Task task = task_with(body);
  const auto reference = sample::build_oracle(task);
  if (!reference) return reference.error().message;
  SecretRandom random{{1, 2, 3, 4}};
  const auto pool = ContentPool::create(task, rows_by_cols(rows, cols), *reference, random,
                                        {.entries = 1, .cases = {0}});
  if (pool) return "";
  EXPECT_EQ(pool.error().failure, Failure::reference);
  return pool.error().message;
}

TEST(reference, passes_eight_tensors_and_eight_axes_in_order) {
  Task task;
  Shapes shapes;
  for (const char name : std::string("abcdefgh")) {
    TensorSpec tensor;
    tensor.name = name;
    tensor.output = name > 'f';
    tensor.dtype = name == 'b' || name == 'h' ? Dtype::int32 : Dtype::float32;
    task.tensors.push_back(tensor);
    TensorShape shape;
    shape.elements = name == 'g' ? 2 : 1;
    shape.dims = {shape.elements};
    shapes.tensors.push_back(shape);
  }
  shapes.inputs = 6;
  shapes.axis_arguments = {1, 2, 3, 4, 5, 6, 7, 8};
  task.reference_source = R"(
#include <cstddef>
#include <cstdint>
extern "C" void reference(const double* a, const std::int32_t* b, const double* c, const double* d,
    const double* e, const double* f, double* g, std::int32_t* h, std::size_t i, std::size_t j,
    std::size_t k, std::size_t l, std::size_t m, std::size_t n, std::size_t o, std::size_t p) {
  g[0] = a[0] + 10 * b[0] + 100 * c[0] + 1e3 * d[0] + 1e4 * e[0] + 1e5 * f[0];
  g[1] = i + 10.0 * j + 100.0 * k + 1e3 * l + 1e4 * m + 1e5 * n + 1e6 * o + 1e7 * p;
  h[0] = 7;
})";
  const auto reference = sample::build_oracle(task);
  ASSERT_TRUE(reference) << reference.error().message;
  const auto tensors = reference->prepare(task, shapes);
  ASSERT_TRUE(tensors) << tensors.error().message;
  for (std::size_t t = 0; t < shapes.inputs; ++t) {
    if (t == 1)
      put_int(Dtype::int32, tensors->data[t], 0, 2);
    else
      tensors->doubles(t)[0] = static_cast<double>(t + 1);
  }
  const auto done = reference->run(task, shapes, *tensors, {"w", std::chrono::seconds(10)});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(tensors->doubles(6)[0], 654321);
  EXPECT_EQ(tensors->doubles(6)[1], 87654321);
  EXPECT_EQ(int_at(Dtype::int32, tensors->data[7], 0), 7);
}

TEST(reference, a_write_one_past_the_end_names_the_output) {
  EXPECT_EQ(
      call("y[n] = 1;"),
      "tasks/rows/reference.cpp: wrote beyond output 'y' (shape [3, 5]): element 15 of 15, at "
      "workload 'rows=3 cols=5'");
}

TEST(reference, a_write_one_past_the_end_is_seen_at_every_size) {
  // Sizes around a page of 512 doubles, and one of several pages.
  for (const std::int64_t cols : {1, 511, 512, 513, 5000}) {
    EXPECT_EQ(call("", 1, cols), "");
    EXPECT_THAT(call("y[n] = 1;", 1, cols), HasSubstr("wrote beyond output 'y'")) << cols;
  }
}

TEST(reference, a_read_one_past_the_end_names_the_input) {
  EXPECT_THAT(call("y[0] = x[n];"), HasSubstr("read beyond input 'x' (shape [3, 5])"));
}

TEST(reference, an_output_of_the_wrong_shape_is_a_write_beyond_it) {
  EXPECT_THAT(call("for (std::size_t i = 0; i < 1000 * n; ++i) y[i] = 0;"),
              HasSubstr("wrote beyond output 'y'"));
}

TEST(reference, a_write_in_front_of_an_output_is_seen) {
  EXPECT_THAT(call("y[-1] = 1;"), HasSubstr("wrote before output 'y' (shape [3, 5])"));
  EXPECT_THAT(call("y[-100000] = 1;"), HasSubstr("wrote before output 'y' (shape [3, 5])"));
}

TEST(reference, a_write_to_an_input_is_seen) {
  EXPECT_THAT(call("const_cast<double*>(x)[0] = 1;"), HasSubstr("wrote to input 'x'"));
}

TEST(reference, a_far_write_names_the_nearest_tensor_or_none) {
  EXPECT_THAT(call("y[std::size_t{1} << 30] = 1;"), HasSubstr("wrote beyond output 'y'"));
  EXPECT_THAT(call("*reinterpret_cast<double*>(8) = 1;"),
              HasSubstr("wrote memory that belongs to no tensor"));
}

TEST(reference, an_endless_loop_ends_at_its_limit) {
  const auto before = std::chrono::steady_clock::now();
  EXPECT_THAT(call("for (volatile bool more = true; more;) {}"),
              HasSubstr("tasks/rows/reference.cpp: took longer than 0.3 s"));
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(10));
}

TEST(reference, a_wait_for_ever_ends_too) {
  EXPECT_THAT(call("for (;;) pause();"), HasSubstr("took longer than"));
}

TEST(reference, larger_shapes_have_more_time) {
  const Task task = task_with("");
  const auto limit = [&](std::int64_t rows) {
    const Workload workload = rows_by_cols(rows, 1000);
    return reference_site(task, workload, *resolve_shapes(task, workload)).limit;
  };
  EXPECT_GE(limit(1), std::chrono::milliseconds(300));
  EXPECT_GE(limit(1'000'000) - limit(1), std::chrono::seconds(30));
}

TEST(reference, crashes_say_how) {
  EXPECT_THAT(call("std::abort();"), HasSubstr("crashed with signal 6 (Aborted)"));
  EXPECT_THAT(call("volatile std::size_t none = 0; y[0] = double(n / none);"),
              HasSubstr("crashed with signal 8"));
  EXPECT_THAT(call("std::exit(3);"), HasSubstr("ended its process with code 3"));
  EXPECT_THAT(call("throw 1;"), HasSubstr("threw"));
  EXPECT_THAT(call("char* volatile room = new char[std::size_t{1} << 40];\n  delete[] room;"),
              HasSubstr("more memory"));
}

TEST(reference, a_full_stack_is_told) {
  Task task = task_with("");
  task.reference_source =
      "#include <cstddef>\n"
      "static double deep(volatile double* x) { volatile double room[999]; room[0] = *x; "
      "return room[0] + deep(room) + room[1]; }\n"
      "extern \"C\" void reference(const double* x, double* y, std::size_t, std::size_t) {\n"
      "  volatile double first = x[0];\n  y[0] = deep(&first);\n}\n";
  const auto reference = sample::build_oracle(task);
  ASSERT_TRUE(reference) << reference.error().message;
  SecretRandom random{{1, 2, 3, 4}};
  const auto pool = ContentPool::create(task, rows_by_cols(1, 1), *reference, random);
  ASSERT_FALSE(pool);
  EXPECT_THAT(pool.error().message, HasSubstr("ran out of its stack"));
}

TEST(reference, a_missing_function_is_named_with_the_file) {
  Task task = task_with("");
  task.reference_source = "extern \"C\" void referenz() {}";
  EXPECT_EQ(sample::build_oracle(task).error().message,
            "tasks/rows/reference.cpp: defines no function 'reference'; expected: extern \"C\" "
            "void reference(inputs..., outputs..., axes...)");
}

TEST(reference, text_that_is_no_program_is_told_with_its_place) {
  Task task = task_with("");
  task.reference_source = "\nno C++";
  const auto reference = sample::build_oracle(task);
  EXPECT_EQ(reference.error().failure, Failure::reference);
  EXPECT_THAT(reference.error().message, HasSubstr("tasks/rows/reference.cpp:2:1: does not build"));
}

class ReferenceLevels : public testing::TestWithParam<SandboxLevel> {
 protected:
  /// Value of y[0] after the body ran at this level; nothing if the machine lacks the level.
  std::optional<double> first_output(const std::string& body) {
    const auto probed = probe_sandbox(KE_BINARY_DIR, name(GetParam()));
    if (!probed) return std::nullopt;
    const Task task = task_with(body);
    const auto reference = sample::build_oracle(task, GetParam());
    if (!reference) ADD_FAILURE() << reference.error().message;
    SecretRandom random{{1, 2, 3, 4}};
    const auto pool = ContentPool::create(task, rows_by_cols(3, 5), *reference, random,
                                          {.entries = 1, .cases = {0}});
    if (!pool) ADD_FAILURE() << pool.error().message;
    return pool->entries()[0]->expected[0][0];
  }
};

INSTANTIATE_TEST_SUITE_P(Levels, ReferenceLevels,
                         testing::Values(SandboxLevel::namespaces, SandboxLevel::landlock,
                                         SandboxLevel::rlimits),
                         [](const auto& param) { return std::string(name(param.param)); });

TEST_P(ReferenceLevels, answers_and_has_no_files_no_network_and_no_children) {
  if (!first_output("")) GTEST_SKIP() << "this machine lacks the level";
  // rlimits closes neither, as its warning says
  const bool closed = GetParam() != SandboxLevel::rlimits;
  EXPECT_EQ(*first_output("y[0] = open(\"/etc/passwd\", O_RDONLY) < 0 ? -1 : 0;"), closed ? -1 : 0);
  EXPECT_EQ(*first_output("y[0] = socket(AF_INET, SOCK_STREAM, 0) < 0 ? -1 : 0;"), closed ? -1 : 0);
  EXPECT_EQ(*first_output("y[0] = environ[4] == nullptr || environ[5] == nullptr ? -1 : 0;"), -1);
  if (closed) {
    EXPECT_EQ(*first_output("y[0] = fork() < 0 ? -1 : 0;"), -1);
  }
}

TEST_P(ReferenceLevels, faults_are_told) {
  if (!probe_sandbox(KE_BINARY_DIR, name(GetParam())))
    GTEST_SKIP() << "this machine lacks the level";
  const auto said = [&](const std::string& body) {
    const Task task = task_with(body);
    const auto reference = sample::build_oracle(task, GetParam());
    SecretRandom random{{1, 2, 3, 4}};
    const auto pool = ContentPool::create(task, rows_by_cols(3, 5), *reference, random,
                                          {.entries = 1, .cases = {0}});
    return pool ? std::string() : pool.error().message;
  };
  EXPECT_THAT(said("y[n] = 1;"), HasSubstr("wrote beyond output 'y'"));
  EXPECT_THAT(said("std::abort();"), HasSubstr("crashed with signal 6"));
  EXPECT_THAT(said("for (volatile bool on = true; on;) {}"), HasSubstr("took longer"));
}

TEST(reference, outputs_are_zero_before_each_call) {
  EXPECT_EQ(call("if (y[0] != 2 * x[0]) std::abort();"), "");
  const Task task = task_with("for (std::size_t i = 0; i < n; ++i) y[i] = 0;\n  y[0] += 1;");
  Task adding = task;
  adding.reference_source =
      "#include <cstddef>\nextern \"C\" void reference(const double*, double* y, std::size_t, "
      "std::size_t) { y[0] += 1; }";
  const auto reference = sample::build_oracle(adding);
  ASSERT_TRUE(reference);
  SecretRandom random{{1, 2, 3, 4}};
  const auto pool =
      ContentPool::create(adding, rows_by_cols(2, 2), *reference, random, {.entries = 3});
  ASSERT_TRUE(pool);
  for (const auto& entry : pool->entries()) EXPECT_EQ(entry->expected[0][0], 1);
}

TEST(reference, a_failure_after_the_pool_was_made_gives_it_up) {
  // Only the first call of this process returns an answer.
  const Task task = task_with("static int calls = 0;\n  if (++calls > 1) y[n] = 1;");
  const auto reference = sample::build_oracle(task);
  ASSERT_TRUE(reference);
  SecretRandom random{{1, 2, 3, 4}};
  auto pool = ContentPool::create(task, rows_by_cols(13, 5), *reference, random,
                                  {.entries = 1, .cases = {0}});
  ASSERT_TRUE(pool) << pool.error().message;
  EXPECT_TRUE(reference->health());
  const FreshContent useless = pool->new_draw(0);
  EXPECT_EQ(useless.entry->expected[0].size(), 65u);
  ASSERT_FALSE(reference->health());
  EXPECT_THAT(reference->health().error().message, HasSubstr("wrote beyond output 'y'"));
}

TEST(reference, a_failure_of_one_shape_leaves_the_others) {
  const Task task = task_with("if (rows == 3) y[n] = 1;");
  const auto reference = sample::build_oracle(task);
  ASSERT_TRUE(reference);
  SecretRandom random{{1, 2, 3, 4}};
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(ContentPool::create(task, rows_by_cols(3, 5), *reference, random));
    EXPECT_TRUE(ContentPool::create(task, rows_by_cols(4, 5), *reference, random));
  }
  EXPECT_TRUE(reference->health());
}

TEST(reference, a_thread_hands_on_a_process_that_outlives_it) {
  const Task task = task_with("static int calls = 0;\n  y[0] = ++calls;");
  const auto reference = sample::build_oracle(task);
  ASSERT_TRUE(reference);
  const auto calls_of_process = [&] {
    SecretRandom random{{1, 2, 3, 4}};
    const auto pool = ContentPool::create(task, rows_by_cols(13, 5), *reference, random,
                                          {.entries = 1, .cases = {0}});
    const double calls = pool ? pool->entries()[0]->expected[0][0] : 0;
    reference->leave();
    return calls;
  };
  double second = 0;
  EXPECT_EQ(calls_of_process(), 1);
  std::thread([&] { second = calls_of_process(); }).join();
  EXPECT_EQ(second, 2);
  EXPECT_EQ(calls_of_process(), 3);
}

TEST(reference, threads_ask_at_once_and_large_and_small_shapes_take_turns) {
  const Task task = task_with("");
  const auto reference = sample::build_oracle(task);
  ASSERT_TRUE(reference);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      SecretRandom random{{1, 2, 3, 4}};
      for (const std::int64_t rows : {1, 4000, 3, 9000, 700, 2}) {
        const auto pool = ContentPool::create(task, rows_by_cols(rows, 1000), *reference, random,
                                              {.entries = 1, .cases = {0}});
        ASSERT_TRUE(pool) << pool.error().message;
        const Content& content = *pool->entries()[0];
        const auto x = widened_all(Dtype::float32, content.inputs[0]);
        for (std::size_t k = 0; k < x.size(); k += 997) {
          ASSERT_EQ(content.expected[0][k], 2.0 * x[k]);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace ke

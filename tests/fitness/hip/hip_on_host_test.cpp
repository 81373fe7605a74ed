// The whole evaluator as on an AMD GPU - clang's code objects, the HIP runtime, the judge and its
// workers - on a library whose GPU is the host. The same sources execute there in an emulation with
// waves of 64 lanes.

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "fitness/hip/hip_evaluator.hpp"
#include "tests/fitness/content/sample_tasks.hpp"
#include "tests/fitness/hip/fake_hip.hpp"
#include "tests/fitness/hip/host_kernels.hpp"
#include "tests/fitness/hip/sample_kernels.hpp"
#include "tests/support/sanitized.hpp"

namespace ke::hip {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;

/// One wave per row. `end` is inserted where only lane 0 knows the sum.
std::string matvec(const std::string& name, const std::string& end) {
  return "// @launch " + name +
         " grid=(rows) block=(64)\n"
         "extern \"C\" __global__ void " +
         name +
         "(const float* a, const float* x, float* y, size_t rows, size_t cols) {\n"
         "  float sum = 0;\n"
         "  for (size_t c = threadIdx.x; c < cols; c += 64) sum += a[blockIdx.x * cols + c] * "
         "x[c];\n"
         "  for (int mask = 32; mask > 0; mask /= 2) sum += __shfl_xor(sum, mask);\n"
         "  if (threadIdx.x == 0) {\n    " +
         end + "\n  }\n}\n";
}

struct Candidate {
  const char* name;
  const char* end;
};
constexpr Candidate candidates[] = {
    {"right", "y[blockIdx.x] = sum;"},
    {"off", "y[blockIdx.x] = blockIdx.x == rows - 1 ? sum * 1.01f : sum;"},
    {"off_but_once", "y[blockIdx.x] = rows > 1 && blockIdx.x == rows - 1 ? sum + 1 : sum;"},
    {"beside", "y[blockIdx.x] = sum; y[rows] = 1;"},
    {"greedy", "y[blockIdx.x] = sum; ((float*)a)[0] = 3;"},
    {"goes_on", "y[blockIdx.x] = sum;"},
    {"wild", "y[blockIdx.x] = sum; ((float*)8)[cols] = 1;"},
};

std::string kernel(const std::string& name) {
  const auto* one = std::ranges::find(candidates, name, &Candidate::name);
  return matvec(name, one->end);
}

class HipOnHost : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (test::sanitized) return;
    std::string sources;
    std::vector<std::string> names;
    for (const Candidate& one : candidates) {
      sources += matvec(one.name, one.end);
      names.emplace_back(one.name);
    }
    folder_ = std::make_unique<test::TemporaryFolder>();
    setenv("KERNELS_ON_HOST", test::host_kernels(*folder_, sources, names).c_str(), 1);
  }
  static void TearDownTestSuite() {
    unsetenv("KERNELS_ON_HOST");
    folder_.reset();
  }
  void SetUp() override {
    if (test::sanitized) GTEST_SKIP() << test::no_fibers;
    if (const std::string missing = missing_compiler(); !missing.empty()) GTEST_SKIP() << missing;
    begin({});
  }
  /// Starts the evaluator; `change` may change the tolerance.
  void begin(const std::function<void(Tolerance&)>& change) {
    evaluator_.reset();
    Task task = sample::task(sample::half_matvec_text("float32"));
    if (change) change(task.tolerance);
    task.language = "hip";
    task.kernels = {{"naive", kernel("right")}, {"anchor", kernel("right")}};
    gpu::GpuOptions options;
    options.tools_dir = KE_BINARY_DIR;
    options.compile_threads = 1;
    options.rules.cold = false;
    options.rules.screen_quads = 1;  // the host emulates a GPU slowly
    auto made = make_hip_evaluator(std::make_shared<const Task>(task), sample::oracle(task),
                                   options, test::amd_options(),
                                   {.vendor = "amd", .hip_library = test::fake_hip_path}, {});
    ASSERT_TRUE(made) << made.error().message;
    evaluator_ = *std::move(made);
  }

  Fact judge(const std::string& source, JobKind kind = JobKind::screen,
             std::vector<std::string> roles = {}) {
    Job job;
    job.kind = kind;
    job.kernel = test::hip_kernel(source);
    job.roles = std::move(roles);
    job.opponent = Opponent{"anchor", std::nullopt};
    job.key = digest_of(job);
    EXPECT_TRUE(evaluator_->submit(job));
    const auto facts = evaluator_->poll(std::chrono::minutes(2));
    EXPECT_EQ(facts.size(), 1u);
    return facts.empty() ? Fact{} : facts.front();
  }

  static std::unique_ptr<test::TemporaryFolder> folder_;
  test::FakeHip fake_;
  std::unique_ptr<Evaluator> evaluator_;
};
std::unique_ptr<test::TemporaryFolder> HipOnHost::folder_;

TEST_F(HipOnHost, says_what_it_is) {
  const EvaluatorInfo& info = evaluator_->info();
  EXPECT_EQ(info.kind, "hip");
  EXPECT_EQ(info.device_class, "AMD Instinct MI250X; HIP 6.4; warm caches");
  EXPECT_THAT(info.toolchain, HasSubstr("clang version"));
  EXPECT_THAT(info.toolchain, HasSubstr("gfx90a"));
  EXPECT_THAT(info.capabilities, Contains("gfx90a"));
}

TEST_F(HipOnHost, a_right_kernel_is_ok_at_every_shape) {
  const Fact fact = judge(kernel("right"));
  EXPECT_EQ(fact.verdict, Verdict::ok) << fact.reason << ": " << fact.message;
  EXPECT_GT(fact.measures.at("registers"), 0);
  EXPECT_EQ(fact.measures.at("registers"), fact.measures.at("gfx90a_vgprs"));
}

TEST_F(HipOnHost, wrong_elements_and_writes_beside_or_to_inputs_are_found) {
  const Fact off = judge(kernel("off"));
  EXPECT_EQ(off.verdict, Verdict::wrong_result) << off.message;
  EXPECT_EQ(off.reason, "mismatch");
  const Fact beside = judge(kernel("beside"));
  // A tensor may end right before unmapped addresses, where the write is a fault.
  EXPECT_THAT(beside.reason, AnyOf("out_of_bounds", "worker_ended")) << beside.message;
  const Fact greedy = judge(kernel("greedy"));
  EXPECT_EQ(greedy.verdict, Verdict::wrong_result) << greedy.message;
  EXPECT_EQ(greedy.reason, "input_changed");
}

TEST_F(HipOnHost, elements_may_miss_and_errors_have_a_limit_as_the_task_says) {
  EXPECT_EQ(judge(kernel("off_but_once")).verdict, Verdict::wrong_result);
  const auto half = [](Tolerance& tolerance) {
    tolerance.matched_ratio = 0.5;
    tolerance.relative_l2 = std::numeric_limits<double>::infinity();
  };
  begin(half);
  const Fact right = judge(kernel("off_but_once"));
  EXPECT_EQ(right.verdict, Verdict::ok) << right.reason << ": " << right.message;
  begin([&](Tolerance& tolerance) {
    half(tolerance);
    tolerance.max_error = 0.05;
  });
  EXPECT_EQ(judge(kernel("off_but_once")).verdict, Verdict::wrong_result);
  EXPECT_EQ(judge(kernel("right")).verdict, Verdict::ok);
}

// Emulates an AMD GPU, where a fault ends the process.
TEST_F(HipOnHost, a_kernel_that_ends_the_worker_costs_no_more_than_itself) {
  const Fact wild = judge(kernel("wild"));
  EXPECT_EQ(wild.verdict, Verdict::runtime_error) << wild.message;
  EXPECT_EQ(wild.reason, "worker_ended");
  EXPECT_EQ(judge(kernel("right")).verdict, Verdict::ok);
}

TEST_F(HipOnHost, plans_are_checked_against_code_object_and_device) {
  const std::string right = kernel("right");
  const std::string body = right.substr(right.find('\n'));
  const auto reason = [&](const std::string& launch) {
    const Fact fact = judge("// @launch right " + launch + body);
    EXPECT_EQ(fact.verdict, Verdict::rejected) << launch;
    return fact.message;
  };
  EXPECT_THAT(reason("grid=(rows) block=(64) args=(a, x, y, rows)"),
              HasSubstr("takes 5 parameters, the plan gives 4"));
  EXPECT_THAT(reason("grid=(rows) block=(64) cluster=(2)"),
              HasSubstr("this device has no clusters"));
  EXPECT_THAT(reason("grid=(rows) block=(64) pdl"), HasSubstr("programmatic"));
}

TEST_F(HipOnHost, kernels_in_cuda_are_refused) {
  Job job;
  job.kind = JobKind::build;
  job.kernel = test::hip_kernel(kernel("right"));
  job.kernel.language = "cuda";
  job.key = digest_of(job);
  ASSERT_TRUE(evaluator_->submit(job));
  const auto facts = evaluator_->poll(std::chrono::minutes(1));
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_EQ(facts[0].message, "a kernel in cuda on an AMD GPU, which takes HIP");
}

TEST_F(HipOnHost, sanitizers_and_clocks_of_nvidia_do_not_apply) {
  const Fact fact = judge(kernel("right"), JobKind::sanitize);
  EXPECT_THAT(fact.message + testing::PrintToString(fact.policy_flags),
              HasSubstr("compute-sanitizer examines kernels of CUDA's driver alone"));
}

TEST_F(HipOnHost, screens_are_timed) {
  const Fact fact = judge(kernel("right"), JobKind::screen, {"bench"});
  ASSERT_TRUE(fact.verdict == Verdict::ok || fact.verdict == Verdict::unreliable) << fact.message;
  EXPECT_THAT(fact.policy_flags, Contains("GPU 0: clocks and throttling are not seen through HIP"));
  if (fact.comparison) {
    EXPECT_GT(fact.comparison->speedup, 0.2);
  }
}

TEST_F(HipOnHost, work_that_events_do_not_see_is_suspicious) {
  const Fact fact = judge(kernel("goes_on"), JobKind::screen, {"bench"});
  EXPECT_EQ(fact.verdict, Verdict::suspicious) << fact.message;
  EXPECT_EQ(fact.reason, "time_outside_events");
}

}  // namespace
}  // namespace ke::hip

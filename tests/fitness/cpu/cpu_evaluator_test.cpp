#include "fitness/cpu/cpu_evaluator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <limits>

#include "tests/fitness/cpu/axpb_evaluator.hpp"
#include "tests/fitness/cpu/quiet_moment.hpp"

namespace ke {
namespace {

using test::axpb_source;

// System calls without libc, which avoid both the symbol check and libc itself.
const std::string raw_call =
    "static long raw(long number, long a, long b, long c) {\n"
    "  long result;\n"
    "  asm volatile(\"syscall\" : \"=a\"(result) : \"a\"(number), \"D\"(a), \"S\"(b), \"d\"(c)\n"
    "               : \"rcx\", \"r11\", \"memory\");\n"
    "  return result;\n"
    "}\n";

class CpuEvaluatorTest : public test::AxpbEvaluator {
 protected:
  static Fact judge(const std::string& source, std::vector<std::string> roles = {},
                    JobKind kind = JobKind::screen) {
    auto fact = evaluator->run_job(test::kernel_job(kind, source, "anchor", std::move(roles)));
    EXPECT_TRUE(fact);
    return *std::move(fact);
  }
};

TEST_F(CpuEvaluatorTest, accepts_a_right_kernel_and_tells_its_build) {
  const Fact fact = judge(axpb_source());
  EXPECT_EQ(fact.verdict, Verdict::ok) << fact.reason << ": " << fact.message;
  EXPECT_FALSE(fact.build_hash.is_zero());
  EXPECT_FALSE(fact.measures.empty());
  EXPECT_LE(fact.feedback.size(), 4096U);
}

TEST_F(CpuEvaluatorTest, a_comment_does_not_change_the_build_hash) {
  EXPECT_EQ(judge(axpb_source()).build_hash, judge("// a comment\n" + axpb_source()).build_hash);
}

TEST_F(CpuEvaluatorTest, wrong_values_are_told_with_shape_and_first_elements) {
  const Fact fact = judge(axpb_source("", "  if (n > 100) out[n - 1] += 1;\n"));
  EXPECT_EQ(fact.verdict, Verdict::wrong_result);
  EXPECT_EQ(fact.reason, "mismatch");
  EXPECT_THAT(fact.feedback, testing::HasSubstr("\"failure\""));
}

TEST_F(CpuEvaluatorTest, an_output_that_was_not_written_is_wrong) {
  EXPECT_EQ(judge(axpb_source("  n -= n > 1000;\n")).verdict, Verdict::wrong_result);
}

TEST_F(CpuEvaluatorTest, right_for_the_first_calls_only_is_found_while_timing) {
  const Fact fact = judge(
      axpb_source("  static int calls; if (n == 200000 && ++calls > 12) n /= 2;\n"), {"bench"});
  EXPECT_EQ(fact.verdict, Verdict::wrong_result) << fact.reason;
}

TEST_F(CpuEvaluatorTest, every_class_is_seen_at_bench_shapes) {
  for (const char* odd : {"in[i] != in[i]", "in[i] > 150", "in[i] == 0"}) {
    const std::string wrong = "  for (std::size_t i = 0; n == 200000 && i < n; ++i)\n    if (" +
                              std::string(odd) + ") out[i] = 7;\n";
    const Fact fact = judge(axpb_source("", wrong), {"bench"}, JobKind::verify);
    EXPECT_EQ(fact.verdict, Verdict::wrong_result) << odd << ": " << fact.reason;
  }
}

// Recognises its inputs by the sum of their bits, which survives rotation, compares them whole, and
// is slow otherwise.
const std::string remembering =
    "#include <cmath>\n#include <cstddef>\n#include <cstdint>\n#include <cstring>\n"
    "static std::uint64_t sums[64];\n"
    "static float inputs[64][200000], answers[64][200000];\n"
    "static int used;\n"
    "static bool rotated(const float* in, const float* known, std::size_t at, std::size_t n) {\n"
    "  return std::memcmp(in + at, known, 4 * (n - at)) == 0 &&\n"
    "         std::memcmp(in, known + (n - at), 4 * at) == 0;\n"
    "}\n"
    "extern \"C\" void kernel(const float* in, float* out, std::size_t n) {\n"
    "  std::uint64_t sum = 0;\n"
    "  if (n == 200000) {\n"
    "    for (std::size_t i = 0; i < n; ++i) {\n"
    "      std::uint32_t bits;\n"
    "      std::memcpy(&bits, in + i, 4);\n"
    "      sum += bits;\n"
    "    }\n"
    "    for (int e = 0; e < used; ++e) {\n"
    "      if (sums[e] != sum) continue;\n"
    "      std::size_t at = 0;\n"
    "      while (at < n && !rotated(in, inputs[e], at, n)) ++at;\n"
    "      if (at == n) continue;\n"
    "      std::memcpy(out + at, answers[e], 4 * (n - at));\n"
    "      std::memcpy(out, answers[e] + (n - at), 4 * at);\n"
    "      return;\n"
    "    }\n"
    "  }\n"
    "  for (std::size_t i = 0; i < n; ++i) {\n"
    "    volatile float root = in[i];\n"
    "    for (int r = 0; r < 16; ++r) root = std::sqrt(root * root);\n"
    "    out[i] = 2.0f * in[i] + 1.0f;\n"
    "  }\n"
    "  if (n != 200000 || in[0] != in[0] || in[1] != in[1] || in[0] == in[1] || used == 64) "
    "return;\n"
    "  sums[used] = sum;\n"
    "  std::memcpy(inputs[used], in, 4 * n);\n"
    "  std::memcpy(answers[used++], out, 4 * n);\n"
    "}\n";

// A single verification on a busy machine may miss it.
TEST_F(CpuEvaluatorTest, answers_from_memory_are_suspicious_though_right) {
  Fact fact;
  for (int tries = 0; tries < 5 && fact.verdict != Verdict::suspicious; ++tries) {
    fact = test::in_a_quiet_moment([] { return judge(remembering, {"bench"}, JobKind::verify); });
    if (fact.verdict == Verdict::unreliable) GTEST_SKIP() << test::too_busy;
  }
  EXPECT_EQ(fact.verdict, Verdict::suspicious) << fact.reason << ": " << fact.message;
  EXPECT_EQ(fact.reason, "remembers_inputs");
}

TEST_F(CpuEvaluatorTest, stopping_before_the_work_is_done_gains_nothing) {
  const Fact fact = judge(raw_call + axpb_source("  raw(62, raw(39, 0, 0, 0), 19, 0);\n"));
  EXPECT_NE(fact.verdict, Verdict::ok);
}

TEST_F(CpuEvaluatorTest, stopping_after_the_work_is_seen_too) {
  const Fact fact = judge(raw_call + axpb_source("", "  raw(62, raw(39, 0, 0, 0), 19, 0);\n"));
  EXPECT_EQ(fact.verdict, Verdict::suspicious) << fact.reason;
  EXPECT_EQ(fact.reason, "stopped_early");
}

TEST_F(CpuEvaluatorTest, ending_the_process_is_no_success) {
  const Fact fact = judge(raw_call + axpb_source("", "  raw(231, 0, 0, 0);\n"));
  EXPECT_EQ(fact.verdict, Verdict::runtime_error);
  EXPECT_EQ(fact.reason, "exited");
}

TEST_F(CpuEvaluatorTest, an_endless_call_is_a_timeout) {
  const Fact fact = judge(axpb_source("  for (;;) asm volatile(\"\");\n"));
  EXPECT_EQ(fact.verdict, Verdict::timeout);
  EXPECT_EQ(fact.reason, "call_timeout");
}

TEST_F(CpuEvaluatorTest, calls_that_end_in_time_one_by_one_must_end_in_time_together) {
  const Fact fact =
      judge(axpb_source("  for (const auto end = __builtin_ia32_rdtsc() + 300000000;\n"
                        "       __builtin_ia32_rdtsc() < end;) {}\n"));
  EXPECT_EQ(fact.verdict, Verdict::timeout);
  EXPECT_EQ(fact.reason, "check_timeout");
}

TEST_F(CpuEvaluatorTest, a_changed_rounding_mode_is_found) {
  const Fact fact =
      judge(axpb_source("", "  unsigned m = 0x5f80; asm volatile(\"ldmxcsr %0\" : : \"m\"(m));\n"));
  EXPECT_EQ(fact.verdict, Verdict::wrong_result);
  EXPECT_EQ(fact.reason, "float_environment");
}

TEST_F(CpuEvaluatorTest, inputs_cannot_be_written_even_after_mprotect) {
  const std::string attack =
      "  long page = (long)in & ~4095L; raw(10, page, 4096, 3); *(volatile float*)in = 1;\n";
  const Fact fact = judge(raw_call + axpb_source(attack));
  EXPECT_EQ(fact.verdict, Verdict::runtime_error);
  EXPECT_EQ(fact.reason, "crash_sigsegv");
}

TEST_F(CpuEvaluatorTest, writes_beside_an_output_are_found) {
  const Fact fact = judge(axpb_source("", "  out[n] = 3;\n"));
  EXPECT_TRUE(fact.reason == "out_of_bounds_write" || fact.reason == "crash_sigsegv")
      << fact.reason;
}

TEST_F(CpuEvaluatorTest, tracing_others_is_a_violation_of_the_sandbox) {
  const Fact fact = judge(raw_call + axpb_source("  raw(101, 16, raw(110, 0, 0, 0), 0);\n"));
  EXPECT_EQ(fact.verdict, Verdict::rejected);
  EXPECT_EQ(fact.reason, "sandbox_violation");
}

TEST_F(CpuEvaluatorTest, neither_files_nor_sockets_nor_processes_can_be_had) {
  // Corrupts its output if any attack succeeds: open, socket, fork, vfork, clone.
  const std::string attack =
      "  bool open = false;\n"
      "  open |= raw(2, (long)\"/etc/passwd\", 0, 0) >= 0;\n"
      "  open |= raw(41, 2, 1, 0) >= 0;\n"
      "  long child = raw(57, 0, 0, 0); if (child == 0) raw(231, 0, 0, 0); open |= child > 0;\n";
  const Fact fact = judge(raw_call + axpb_source(attack, "  if (open) out[0] = 1e9f;\n"));
  EXPECT_EQ(fact.verdict, Verdict::ok) << fact.reason << ": " << fact.message;
}

TEST_F(CpuEvaluatorTest, a_kernel_that_does_its_work_twice_is_timed_as_slower) {
  const std::string twice =
      "  for (std::size_t i = 0; i < n; ++i) out[i] = 3.0f * in[i];\n  asm volatile(\"\" : : : "
      "\"memory\");\n";
  // A screen is one pair of processes, and a process may be slow for its whole life.
  Fact fact;
  const auto between = [](double speedup) { return speedup > 0.2 && speedup < 0.95; };
  for (int tries = 0; tries < 3 && !(fact.comparison && between(fact.comparison->speedup));
       ++tries) {
    fact = test::in_a_quiet_moment(
        [&] { return judge("// @flags -O3\n" + axpb_source(twice), {"bench"}); });
    if (fact.verdict == Verdict::unreliable) GTEST_SKIP() << test::too_busy;
    ASSERT_EQ(fact.verdict, Verdict::ok) << fact.reason << ": " << fact.message;
  }
  EXPECT_LT(fact.comparison->speedup, 0.95);  // less where memory is slow
  EXPECT_GT(fact.comparison->speedup, 0.2);
  EXPECT_EQ(fact.comparison->workloads.front().workload, "n=200000");
}

// A library is loaded by its first call in a process; reading its pages from disk may take long.
TEST(Baselines, are_timed_without_the_call_that_loads_them) {
  auto task = std::make_shared<Task>(*test::axpb_task());
  const std::string late =
      "  static bool loaded = false;\n"
      "  if (!loaded) for (volatile int spin = 0; spin < 300000000; ++spin) {}\n  loaded = true;\n";
  task->baselines = {{"library", "// @flags -O3\n" + axpb_source(late)}};
  const auto evaluator = test::cpu_evaluator(task);
  ASSERT_NE(evaluator, nullptr);
  const Job job =
      test::kernel_job(JobKind::screen, "// @flags -O3\n" + axpb_source(), "library", {"bench"});
  // Both do the same work in the first samples of their processes, the only ones that could include
  // that call.
  double apart = std::numeric_limits<double>::infinity();
  for (int tries = 0; tries < 3 && apart > 2; ++tries) {
    const Fact fact = test::in_a_quiet_moment([&] { return *evaluator->run_job(job); });
    if (fact.verdict == Verdict::unreliable) GTEST_SKIP() << test::too_busy;
    ASSERT_TRUE(fact.comparison) << fact.reason << ": " << fact.message;
    const Cluster& cluster = fact.comparison->workloads.at(0).clusters.at(0);
    const auto first = [&](char arm) {
      return static_cast<double>(cluster.samples_ns.at(cluster.order.find(arm)));
    };
    apart = first('B') / first('A');
  }
  EXPECT_LT(apart, 2);
}

TEST_F(CpuEvaluatorTest, a_kernel_that_never_returns_but_serves_calls_is_judged_by_its_stops) {
  // Takes over the protocol after its first call and stops itself forever. Writes no output.
  const Fact fact =
      judge(raw_call + axpb_source("", "  for (;;) raw(62, raw(39, 0, 0, 0), 19, 0);\n"));
  EXPECT_NE(fact.verdict, Verdict::ok);
}

TEST_F(CpuEvaluatorTest, a_need_that_this_machine_lacks_is_refused) {
  Job job;
  job.needs = {"quantum"};
  const auto submitted = evaluator->submit(job);
  ASSERT_FALSE(submitted);
  EXPECT_EQ(submitted.error().message, "this machine does not offer 'quantum'");
}

double bench_call_ns(bool cold) {
  CpuOptions options;
  options.cold = cold;
  const auto evaluator = test::cpu_evaluator(test::axpb_task(), options);
  EXPECT_TRUE(evaluator->info().device_class.ends_with(cold ? "; cold caches" : ""));
  const auto fact =
      evaluator->run_job(test::kernel_job(JobKind::screen, axpb_source(), "anchor", {"bench"}));
  EXPECT_TRUE(fact);
  EXPECT_NE(fact->verdict, Verdict::wrong_result);
  return fact->comparison ? fact->comparison->workloads.front().candidate_ns : 0;
}

// The cost of cold caches depends on the machine; FlushLines proves that lines leave the caches.
TEST(CpuEvaluatorColdCaches, are_part_of_the_device_class_and_can_be_timed) {
  const double warm = bench_call_ns(false);
  const double cold = bench_call_ns(true);
  if (warm == 0 || cold == 0) GTEST_SKIP() << test::too_busy;
  EXPECT_GT(cold, warm / 4);  // it does the same work
}

// Denies tracing to this process and its children from here on.
void forbid_ptrace() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{4, program};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

int flags_without_ptrace() {
  forbid_ptrace();
  CpuOptions options;
  options.tools_dir = KE_BINARY_DIR;
  auto evaluator = make_cpu_evaluator(test::axpb_task(), options);
  if (!evaluator) return 90;
  const auto fact = (*evaluator)->run_job(test::kernel_job(JobKind::screen, axpb_source()));
  if (!fact || fact->verdict != Verdict::ok) return 91;
  return static_cast<int>(std::ranges::count(fact->policy_flags, "unchecked_registers"));
}

TEST(CpuEvaluatorWithoutPtrace, tells_that_registers_went_unchecked) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(_exit(flags_without_ptrace()), testing::ExitedWithCode(1), "");
}

TEST_F(CpuEvaluatorTest, registers_are_checked_where_tracing_is_allowed) {
  EXPECT_THAT(judge(axpb_source()).policy_flags,
              testing::Not(testing::Contains("unchecked_registers")));
}

}  // namespace
}  // namespace ke

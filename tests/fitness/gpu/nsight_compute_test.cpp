#include "fitness/gpu/nsight_compute.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <memory>

#include "core/feedback_record.hpp"
#include "core/text.hpp"
#include "fitness/sandbox/job.hpp"
#include "tests/support/copy_task.hpp"

namespace ke::gpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* short_table =
    "\"ID\",\"Kernel Name\",\"dram__throughput.avg.pct_of_peak_sustained_elapsed\","
    "\"gpu__time_duration.sum\",\"sm__throughput.avg.pct_of_peak_sustained_elapsed\"\n"
    "\"\",\"\",\"%\",\"ns\",\"%\"\n"
    "\"0\",\"axpy(int, float)\",\"91.31\",\"12,000\",\"22.5\"\n";
constexpr const char* forbidden =
    "==PROF== Connected to process 99 (/opt/kernelevolve-cuda)\n"
    "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
    "Performance Counters on the target device 0.\n"
    "==PROF== Disconnected from process 99\n==WARNING== No kernels were profiled.\n";

TEST(NsightCompute, a_run_gives_measures_and_sentences) {
  const KernelProfile profile = profile_of_run({0, true, short_table});
  EXPECT_EQ(profile.not_applicable, "");
  EXPECT_EQ(profile.measures.at("ncu_dram_pct"), 91.31);
  EXPECT_EQ(profile.measures.at("ncu_time_ns"), 12000);
  EXPECT_THAT(profile.sentences, ElementsAre("DRAM 91 % of peak: memory-bound; SM 22 %."));
}

TEST(NsightCompute, what_it_cannot_do_has_a_reason) {
  const KernelProfile denied = profile_of_run({1, true, forbidden});
  EXPECT_THAT(denied.not_applicable, HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_TRUE(denied.for_good);
  EXPECT_THAT(denied.measures, IsEmpty());
  const KernelProfile other =
      profile_of_run({1, true, "==PROF== Connected\n==ERROR== Cuda driver is not compatible.\n"});
  EXPECT_EQ(other.not_applicable, "ncu read no counters: Cuda driver is not compatible.");
  EXPECT_FALSE(other.for_good);
  EXPECT_EQ(profile_of_run({-1, false, ""}).not_applicable, "ncu took longer than 120 s");
  EXPECT_EQ(profile_of_run({1, true, ""}).not_applicable, "ncu read no counters: it says nothing");
}

TEST(NsightCompute, unknown_metrics_are_those_that_errors_name) {
  const std::vector<std::string> asked{"a__b_ld.sum", "a__b.sum", "c__d.avg.pct", "e__f"};
  EXPECT_THAT(
      unknown_metrics("==ERROR== Failed to find metric regex:^a__b\\.(sum|min|max|avg)$\n", asked),
      ElementsAre("a__b.sum"));
  EXPECT_THAT(unknown_metrics("==ERROR== Failed to find metric c__d.avg.pct\n"
                              "==ERROR== Failed to find metric e__f\n",
                              asked),
              ElementsAre("c__d.avg.pct", "e__f"));
  EXPECT_THAT(unknown_metrics("==PROF== metric e__f\n==ERROR== c__d failed\n", asked), IsEmpty());
}

TEST(NsightCompute, a_profile_joins_the_fact) {
  Fact fact;
  fact.feedback = R"({"verdict":"ok"})";
  fact.measures = {{"registers", 32}};
  take_kernel_profile(profile_of_run({0, true, short_table}), fact);
  EXPECT_EQ(fact.measures.at("registers"), 32);
  EXPECT_EQ(fact.measures.at("ncu_sm_pct"), 22.5);
  EXPECT_THAT(profile_of(fact.feedback), ElementsAre(StartsWith("DRAM 91 %")));
  EXPECT_THAT(fact.feedback, HasSubstr(R"("verdict":"ok")"));
  EXPECT_THAT(fact.policy_flags, IsEmpty());
}

TEST(NsightCompute, a_reason_is_a_policy_flag_and_no_feedback) {
  Fact fact;
  take_kernel_profile(profile_of_run({-1, false, ""}), fact);
  EXPECT_THAT(fact.policy_flags, ElementsAre("profile not_applicable: ncu took longer than 120 s"));
  EXPECT_EQ(fact.feedback, "");
  take_kernel_profile({}, fact);
  EXPECT_EQ(fact.policy_flags.size(), 1U);
}

// --- with a stand-in for the program ---

std::string fake_ncu;

Result<std::string> find_fake_ncu() { return fake_ncu; }
Result<std::string> find_no_ncu() { return Error{Failure::device, "it is nowhere"}; }

class FakeNcu : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = JobFolder::create(testing::TempDir());
    ASSERT_TRUE(folder);
    folder_ = std::make_unique<JobFolder>(*std::move(folder));
    fake_ncu = folder_->file("ncu");
    task_.row = *Expression::parse("n");
    task_.tensors[0].classes = {"normal"};
    task_.workloads.clear();
    for (const std::int64_t n : {std::int64_t{64}, std::int64_t{1} << 20, std::int64_t{1} << 30}) {
      task_.workloads.push_back({{{"n", n}}, Role::bench, "n=" + std::to_string(n)});
    }
    auto plan = parse_launch_plan("copy.cu", "// @launch copy grid=(1) block=(32)");
    ASSERT_TRUE(plan);
    built_.plan = *std::move(plan);
  }

  /// Script of the stand-in, with its arguments; each call adds a line to asked.txt.
  void behave(const std::string& script) {
    ASSERT_TRUE(folder_->write("table.csv", short_table));
    ASSERT_TRUE(folder_->write(
        "ncu", "#!/bin/sh\ncd " + folder_->path() + "\necho \"$*\" >>asked.txt\n" + script));
    ASSERT_EQ(chmod(fake_ncu.c_str(), 0755), 0);
  }

  std::string asked() const { return *folder_->read("asked.txt", std::size_t{1} << 20); }
  std::size_t runs() const { return split(asked(), '\n').size() - 1; }

  std::unique_ptr<JobFolder> folder_;
  Task task_ = ke::test::copy_task();
  GpuInfo gpu_;
  GpuBuilt built_;
};

TEST_F(FakeNcu, is_asked_for_a_table_of_the_largest_shape_that_fits) {
  behave(
      "for last; do :; done\nls -s --block-size=1M $last | cut -d' ' -f1 >size.txt\n"
      "echo $LC_ALL >>size.txt\ncat table.csv\n");
  NsightCompute ncu(task_, gpu_, find_fake_ncu, KE_BINARY_DIR, true);
  const KernelProfile profile = ncu.profile(built_, 0);
  EXPECT_EQ(profile.not_applicable, "");
  EXPECT_THAT(profile.sentences,
              ElementsAre("At n=1048576: DRAM 91 % of peak: memory-bound; SM 22 %."));
  EXPECT_THAT(asked(), HasSubstr("--clock-control none --cache-control all --csv --page raw "
                                 "--print-units base --launch-count 32 --metrics "));
  EXPECT_THAT(asked(), HasSubstr("dram__throughput.avg.pct_of_peak_sustained_elapsed,"));
  EXPECT_THAT(asked(), HasSubstr("kernelevolve-cuda examine /tmp/"));
  EXPECT_THAT(*folder_->read("size.txt", 100), testing::MatchesRegex("[45]\nC\n"));
}

TEST_F(FakeNcu, warm_caches_stay_as_they_are) {
  behave("cat table.csv\n");
  NsightCompute(task_, gpu_, find_fake_ncu, KE_BINARY_DIR, false).profile(built_, 0);
  EXPECT_THAT(asked(), HasSubstr("--cache-control none"));
}

TEST_F(FakeNcu, an_unknown_metric_loses_no_other_and_is_not_asked_for_again) {
  behave(
      "case \"$*\" in\n"
      "*_stalled_gmma_*) echo '==ERROR== Failed to find metric "
      "smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio'; exit 1;;\n"
      "*l1tex__t_sector_hit_rate*) echo '==ERROR== Failed to find metric "
      "regex:^l1tex__t_sector_hit_rate(\\..*)?$'; exit 1;;\n"
      "*) cat table.csv;; esac\n");
  NsightCompute ncu(task_, gpu_, find_fake_ncu, KE_BINARY_DIR, true);
  EXPECT_EQ(ncu.profile(built_, 0).measures.at("ncu_dram_pct"), 91.31);
  EXPECT_EQ(runs(), 3U);
  EXPECT_EQ(ncu.profile(built_, 0).measures.at("ncu_dram_pct"), 91.31);
  EXPECT_EQ(runs(), 4U);
}

TEST_F(FakeNcu, without_permission_it_says_so_once) {
  ASSERT_TRUE(folder_->write("forbidden.txt", forbidden));
  behave("cat forbidden.txt\nexit 1\n");
  NsightCompute ncu(task_, gpu_, find_fake_ncu, KE_BINARY_DIR, true);
  EXPECT_THAT(ncu.profile(built_, 0).not_applicable, HasSubstr("ERR_NVGPUCTRPERM"));
  const KernelProfile later = ncu.profile(built_, 0);
  EXPECT_EQ(later.not_applicable, "");
  EXPECT_THAT(later.measures, IsEmpty());
  EXPECT_EQ(runs(), 1U);
}

TEST_F(FakeNcu, after_failures_in_a_row_it_is_left_alone) {
  behave("echo 'it broke'\nexit 1\n");
  NsightCompute ncu(task_, gpu_, find_fake_ncu, KE_BINARY_DIR, true);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(ncu.profile(built_, 0).not_applicable, "ncu read no counters: it broke");
  }
  EXPECT_EQ(ncu.profile(built_, 0).not_applicable, "");
  EXPECT_EQ(runs(), 2U);
}

TEST_F(FakeNcu, shapes_that_are_all_too_large_are_not_profiled) {
  behave("cat table.csv\n");
  task_.workloads.erase(task_.workloads.begin(), task_.workloads.begin() + 2);
  NsightCompute ncu(task_, gpu_, find_fake_ncu, KE_BINARY_DIR, true);
  EXPECT_EQ(ncu.profile(built_, 0).not_applicable, "all bench workloads are above 4 GiB");
}

TEST_F(FakeNcu, without_the_program_it_says_so) {
  NsightCompute ncu(task_, gpu_, find_no_ncu, KE_BINARY_DIR, true);
  EXPECT_EQ(ncu.profile(built_, 0).not_applicable, "it is nowhere");
  EXPECT_EQ(ncu.profile(built_, 0).not_applicable, "");
}

// npm also has a program ncu.
TEST_F(FakeNcu, another_program_of_that_name_is_passed_over) {
  behave("echo 17.1.0\n");
  const std::string other = fake_ncu;
  ASSERT_TRUE(folder_->write("real",
                             "#!/bin/sh\necho 'NVIDIA (R) Nsight Compute Command Line "
                             "Profiler'\n"));
  ASSERT_EQ(chmod(folder_->file("real").c_str(), 0755), 0);
  EXPECT_EQ(first_nsight_compute({"/nowhere/ncu", other, folder_->file("real")}),
            folder_->file("real"));
  EXPECT_EQ(first_nsight_compute({other}), "");
}

}  // namespace
}  // namespace ke::gpu

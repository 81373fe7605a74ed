#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "experiments/study/landscape/recording_file.hpp"
#include "fitness/landscape/landscape.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ke {
namespace {

using ::testing::HasSubstr;

constexpr const char* source =
    "// @knob WIDTH int {4, 8} = 8\n// @knob SPLIT bool = false\n"
    "// @knob ORDER enum {ij, ji} = ij\n// @require WIDTH > 4 || SPLIT == 0\n"
    "// @flags -O2; -funroll-loops?\n";

KernelSpace space() { return *parse_kernel_space("k", source); }

class RecordingFile : public ::testing::Test {
 protected:
  test::TemporaryFolder temporary_;
  std::string folder_ = temporary_.text();
};

/// Two workloads, each with a warm-up quad and one in which A takes half of B's time.
Fact screened() {
  Fact fact;
  fact.verdict = Verdict::ok;
  fact.comparison.emplace();
  fact.comparison->speedup = 2;
  for (const char* name : {"n=1", "n=2"}) {
    WorkloadTiming timing;
    timing.workload = name;
    timing.opponent_ns = 4e6;
    timing.clusters.push_back({0, "ABBABAAB", {9, 1, 1, 9, 800, 400, 400, 800}, {}});
    fact.comparison->workloads.push_back(timing);
  }
  return fact;
}

TEST(RecordingPlan, lists_every_admitted_point_once_in_an_order_of_the_seed) {
  const Kernel base = space().defaults("k", source);
  const auto all = plan_recording(space(), base, 0, 1);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), 12u);  // 2 x 2 x 2 x 2 without WIDTH 4 and SPLIT: 4 fewer
  std::set<Digest> distinct;
  for (const Kernel& kernel : *all) distinct.insert(kernel.genome_hash());
  EXPECT_EQ(distinct.size(), 12u);
  const auto some = plan_recording(space(), base, 5, 1);
  ASSERT_EQ(some->size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ((*some)[i].genome_hash(), (*all)[i].genome_hash());
  const auto other = plan_recording(space(), base, 0, 2);
  bool same = true;
  for (std::size_t i = 0; i < 12; ++i) {
    same = same && (*other)[i].genome_hash() == (*all)[i].genome_hash();
  }
  EXPECT_FALSE(same);
}

TEST_F(RecordingFile, a_cut_line_is_dropped_and_another_recording_is_refused) {
  const std::string path = folder_ + "/x.partial";
  const Json header = {{"kernel", "a"}};
  {
    auto journal = RecordingJournal::open(path, header);
    ASSERT_TRUE(journal) << journal.error().message;
    ASSERT_TRUE(journal->set_reference(2.5));
    ASSERT_TRUE(journal->append(sha256("1"), {{"correctness", 1}}));
  }
  std::ofstream(path, std::ios::app) << R"({"genome": "ab)";
  {
    auto again = RecordingJournal::open(path, header);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->reference_ms(), 2.5);
    EXPECT_EQ(again->results().size(), 1u);
    ASSERT_TRUE(again->append(sha256("2"), {{"correctness", 0}}));
  }
  const auto third = RecordingJournal::open(path, header);
  ASSERT_TRUE(third) << third.error().message;
  EXPECT_EQ(third->results().size(), 2u);
  const auto foreign = RecordingJournal::open(path, {{"kernel", "b"}});
  ASSERT_FALSE(foreign);
  EXPECT_THAT(foreign.error().message, HasSubstr("belongs to another recording"));
}

TEST_F(RecordingFile, what_is_written_reads_back_as_a_landscape) {
  const Kernel base = space().defaults("k", source);
  const auto points = *plan_recording(space(), base, 0, 1);
  Fact built;
  built.verdict = Verdict::ok;
  built.measures = {{"vector_width", 256}};
  built.build_hash = sha256("binary");
  Fact failed;
  failed.verdict = Verdict::wrong_result;
  failed.reason = "differs";
  Fact unknown;
  unknown.verdict = Verdict::unreliable;
  std::vector<Json> results = {
      recording_line(configuration_json(space(), points[0]), built, failed, 4.0),
      recording_line(configuration_json(space(), points[1]), built, screened(), 4.0),
      recording_line(configuration_json(space(), points[2]), built, unknown, 4.0)};
  EXPECT_EQ(opponent_ms(*screened().comparison), 4.0);
  const std::string path = folder_ + "/task.json.gz";
  ASSERT_TRUE(write_landscape(path, {{"timeunit", "milliseconds"}, {"kernel", "task/k"}}, results));
  const auto read = read_landscape(path);
  ASSERT_TRUE(read) << read.error().message;
  const Landscape& landscape = **read;
  EXPECT_EQ(landscape.kernel(), "task/k");
  ASSERT_EQ(landscape.points().size(), 2u);  // configurations that could not be timed are left out
  ASSERT_EQ(landscape.parameters().size(), 4u);
  EXPECT_EQ(landscape.points()[0].verdict, Verdict::wrong_result);
  EXPECT_EQ(landscape.points()[0].reason, "differs");
  EXPECT_EQ(landscape.points()[1].time, 2.0);  // 4 ms / 2
  ASSERT_EQ(landscape.points()[1].sample_count, 1u);
  EXPECT_NEAR(landscape.samples(landscape.points()[1])[0], 2.0, 1e-12);
  ASSERT_EQ(landscape.measures().size(), 1u);
  EXPECT_EQ(landscape.measure(1, 0), 256);
}

}  // namespace
}  // namespace ke

#include <gmock/gmock.h>

#include <fstream>

#include "experiments/study/sweep/slurm_options.hpp"
#include "experiments/study/sweep/slurm_queue.hpp"
#include "experiments/study/sweep/sweep.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ke {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(SlurmQueue, names_tasks_by_ranges) {
  EXPECT_EQ(slurm::ranges_text({1, 2, 3, 7, 9, 10}), "1-3,7,9-10");
  EXPECT_EQ(slurm::ranges_text({4}), "4");
  EXPECT_EQ(slurm::ranges_text({}), "");
}

TEST(SlurmQueue, splits_shards_into_arrays_that_a_site_allows) {
  const auto arrays = slurm::arrays_of({1, 2, 1000, 1001, 2100}, 1000);
  ASSERT_EQ(arrays.size(), 3u);
  EXPECT_EQ(arrays[0].first, 0u);
  EXPECT_THAT(arrays[0].tasks, ElementsAre(1, 2, 1000));
  EXPECT_EQ(arrays[1].first, 1000u);
  EXPECT_THAT(arrays[1].tasks, ElementsAre(1));
  EXPECT_EQ(arrays[2].first, 2000u);
  EXPECT_THAT(arrays[2].tasks, ElementsAre(100));
}

TEST(SlurmScript, asks_for_what_the_options_say_and_quotes_words_of_the_shell) {
  const SlurmTask task{.program = "/opt/ke",
                       .sweep = "/data/it's.yaml",
                       .overrides = {"seeds=1..2"},
                       .beside = "/data/my files",
                       .folder = "/shared/out",
                       .plan = "abc",
                       .shards = 8,
                       .name = "kernelevolve",
                       .comment = "c"};
  const SlurmOptions options{.partition = "gpu",
                             .gres = "gpu:1",
                             .time_ms = 90'000,
                             .grace_ms = 60'000,
                             .save_ms = 300'000,
                             .cpus = 4,
                             .memory_mib = 2048,
                             .scratch = "$TMPDIR"};
  const std::string text = batch_script(task, options);
  for (const char* line :
       {"#SBATCH --partition=gpu\n", "#SBATCH --gres=gpu:1\n", "#SBATCH --time=2\n",
        "#SBATCH --mem=2048M\n", "#SBATCH --cpus-per-task=4\n", "#SBATCH --requeue\n",
        "#SBATCH --open-mode=append\n", "#SBATCH --signal=B:USR1@60\n",
        "cd '/data/my files' || exit\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text,
              HasSubstr("exec '/opt/ke' sweep '/data/it'\\''s.yaml' 'seeds=1..2' --plan abc "
                        "--shard \"$shard/8\" --jobs 4 --scratch \"$TMPDIR\" --save 300 --quiet "
                        "--out '/shared/out'\n"));
  EXPECT_THAT(text, Not(HasSubstr("--account")));
}

class SlurmSection : public ::testing::Test {
 protected:
  Result<Sweep> read(const std::string& section) {
    std::ofstream(folder_ + "/base.yaml")
        << "budget: {evaluations: 60}\ndevice: {kind: function, function: sphere, dimensions: 4}\n"
           "archive: {axes: [{measure: m0, bins: 4}, {measure: m1, bins: 4}]}\n";
    std::ofstream(folder_ + "/s.yaml") << "schema: kernelevolve-sweep/1\nbase: base.yaml\n"
                                          "tasks: [sphere]\nseeds: 1..3\narms: {default: {}}\n"
                                       << section;
    return read_sweep(folder_ + "/s.yaml", {});
  }
  std::string error_of(const std::string& section) {
    const auto sweep = read("slurm: {" + section + "}\n");
    return sweep ? "" : sweep.error().message;
  }
  test::TemporaryFolder temporary_;
  std::string folder_ = temporary_.text();
};

TEST_F(SlurmSection, is_read_and_changes_no_plan) {
  const auto plain = read(""), slurm = read("slurm: {time: 2h, cpus: 8, runs_per_task: 5}\n");
  ASSERT_TRUE(plain && slurm);
  EXPECT_EQ(slurm->slurm.time_ms, 7'200'000);
  EXPECT_EQ(slurm->slurm.runs_per_task, 5);
  EXPECT_EQ(plain->slurm.scratch, "/tmp");
  EXPECT_EQ(plain->plan_hash(), slurm->plan_hash());
}

TEST_F(SlurmSection, says_what_is_wrong_with_its_values) {
  EXPECT_THAT(error_of("runs_per_task: 0"), HasSubstr("'slurm.runs_per_task' = 0 is outside [1, "));
  EXPECT_THAT(error_of("partition: a b"), HasSubstr("holds a blank, a quote or a backslash"));
  EXPECT_THAT(error_of("scratch: tmp"), HasSubstr("is not a full path"));
  EXPECT_THAT(error_of("scratch: /tmp/$(id)"), HasSubstr("is not a full path"));
  EXPECT_THAT(error_of("time: soon"), HasSubstr("is not a duration"));
  EXPECT_THAT(error_of("time: 2min"), HasSubstr("must be two minutes longer than grace"));
  EXPECT_EQ(error_of("time: 3min"), "");
  EXPECT_THAT(error_of("partion: gpu"), HasSubstr("partition"));
}

}  // namespace
}  // namespace ke

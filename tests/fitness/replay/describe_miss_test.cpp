#include <gmock/gmock.h>

#include "fitness/replay/replay_evaluator.hpp"

namespace ke {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Job job_of(JobKind kind, const std::string& tile, const std::string& flag) {
  Job job;
  job.kind = kind;
  job.kernel.source = "source";
  job.kernel.knobs = {{"TILE", tile}, {"UNROLL", "2"}};
  job.kernel.flags = {"", flag};
  job.key = digest_of(job);
  return job;
}

TEST(ReplayMiss, names_the_nearest_recorded_job_and_what_differs) {
  const Job asked = job_of(JobKind::screen, "8", "-O3");
  const std::vector<Job> recorded = {job_of(JobKind::build, "8", "-O2"),
                                     job_of(JobKind::screen, "16", "-O3"),
                                     job_of(JobKind::screen, "32", "-O2")};
  const std::string text = describe_miss(asked, recorded);
  EXPECT_THAT(text, HasSubstr("replay miss: no recorded screen " + asked.key.short_hex()));
  EXPECT_THAT(text, HasSubstr("the nearest is screen " + recorded[1].key.short_hex() +
                              ": knob TILE is 16 instead of 8"));
  EXPECT_THAT(text, Not(HasSubstr("flag")));
}

TEST(ReplayMiss, names_flags_opponents_looks_and_sources) {
  const Job asked = job_of(JobKind::screen, "8", "-O3");
  Job other = job_of(JobKind::screen, "8", "-O2");
  other.opponent = Opponent{"anchor", std::nullopt};
  other.look = 1;
  other.kernel.source = "another";
  const std::string text = describe_miss(asked, std::vector{other});
  EXPECT_THAT(text, HasSubstr("flag 1 is '-O2' instead of '-O3'"));
  EXPECT_THAT(text, HasSubstr("its opponent is anchor instead of none"));
  EXPECT_THAT(text, HasSubstr("it is look 1 instead of 0"));
  EXPECT_THAT(text, HasSubstr("its source is " + sha256("another").short_hex(8)));
}

TEST(ReplayMiss, says_so_when_only_the_surroundings_differ_or_nothing_is_there) {
  const Job asked = job_of(JobKind::build, "8", "-O3");
  EXPECT_THAT(describe_miss(asked, std::vector{asked}),
              HasSubstr("task content, toolchain, device class"));
  EXPECT_THAT(describe_miss(asked, {}), HasSubstr("; nothing is recorded"));
}

}  // namespace
}  // namespace ke

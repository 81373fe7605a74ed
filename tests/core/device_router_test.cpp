#include "core/device_router.hpp"

#include <gmock/gmock.h>

#include <map>
#include <utility>

namespace ke {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Records its jobs and answers only those that it is told to.
class Puppet final : public Evaluator {
 public:
  const EvaluatorInfo& info() const override { return info_; }
  Result<void> submit(const Job& job) override {
    if (refuses) return Error{Failure::device, "not today"};
    given.push_back(job.key);
    return {};
  }
  std::vector<Fact> poll(std::chrono::milliseconds) override {
    std::vector<Fact> facts;
    for (const Digest& key : std::exchange(answers, {})) {
      facts.emplace_back();
      facts.back().key = key;
      facts.back().verdict = Verdict::ok;
    }
    return facts;
  }
  void cancel(const Digest& key) override { cancelled.push_back(key); }

  bool refuses = false;
  std::vector<Digest> given, answers, cancelled;

 private:
  EvaluatorInfo info_;
};

struct DeviceRouterTest : testing::Test {
  DeviceRouterTest() {
    std::vector<std::unique_ptr<Evaluator>> list;
    for (Puppet*& puppet : puppets) {
      auto made = std::make_unique<Puppet>();
      puppet = made.get();
      list.push_back(std::move(made));
    }
    router = std::make_unique<DeviceRouter>(std::move(list));
  }
  Digest submit(std::size_t device, JobKind kind, std::string_view name) {
    Job job;
    job.key = sha256(name);
    job.kind = kind;
    job.device = device;
    EXPECT_TRUE(router->submit(job));
    return job.key;
  }
  void answer(std::size_t device) {
    puppets[device]->answers = std::exchange(puppets[device]->given, {});
    static_cast<void>(router->poll(std::chrono::milliseconds(0)));
  }

  Puppet* puppets[2] = {};
  std::unique_ptr<DeviceRouter> router;
};

TEST_F(DeviceRouterTest, gives_each_job_to_its_device) {
  const Digest one = submit(1, JobKind::build, "one");
  EXPECT_THAT(puppets[0]->given, IsEmpty());
  EXPECT_THAT(puppets[1]->given, ElementsAre(one));
  EXPECT_EQ(&router->device_info(1), &puppets[1]->info());
  EXPECT_EQ(&router->info(), &puppets[0]->info());
}

TEST_F(DeviceRouterTest, measures_on_one_device_at_a_time_and_builds_on_all) {
  const Digest a = submit(0, JobKind::screen, "a");
  const Digest b = submit(1, JobKind::screen, "b");
  const Digest build = submit(1, JobKind::build, "build");
  EXPECT_THAT(puppets[0]->given, ElementsAre(a));
  EXPECT_THAT(puppets[1]->given, ElementsAre(build));
  answer(1);
  EXPECT_THAT(puppets[1]->given, IsEmpty()) << "a build gives no turn away";
  answer(0);
  EXPECT_THAT(puppets[1]->given, ElementsAre(b));
}

TEST_F(DeviceRouterTest, nobody_keeps_the_turn_while_another_waits) {
  submit(0, JobKind::screen, "a");
  const Digest b = submit(1, JobKind::duel, "b");
  const Digest late = submit(0, JobKind::screen, "late");
  answer(0);
  EXPECT_THAT(puppets[0]->given, IsEmpty());
  EXPECT_THAT(puppets[1]->given, ElementsAre(b));
  answer(1);
  EXPECT_THAT(puppets[0]->given, ElementsAre(late));
}

TEST_F(DeviceRouterTest, a_cancelled_job_frees_the_turn) {
  const Digest a = submit(0, JobKind::screen, "a");
  const Digest b = submit(1, JobKind::screen, "b");
  router->cancel(a);
  static_cast<void>(router->poll(std::chrono::milliseconds(0)));
  EXPECT_THAT(puppets[0]->cancelled, ElementsAre(a));
  EXPECT_THAT(puppets[1]->given, ElementsAre(b));
}

TEST_F(DeviceRouterTest, a_refusal_is_a_lost_fact_with_its_reason) {
  submit(0, JobKind::screen, "a");
  const Digest b = submit(1, JobKind::screen, "b");
  puppets[1]->refuses = true;
  puppets[0]->answers = puppets[0]->given;
  std::map<Digest, Fact> facts;
  for (const Fact& fact : router->poll(std::chrono::milliseconds(0))) facts[fact.key] = fact;
  ASSERT_TRUE(facts.contains(b));
  EXPECT_EQ(facts[b].verdict, Verdict::lost);
  EXPECT_EQ(facts[b].message, "not today");
}

}  // namespace
}  // namespace ke

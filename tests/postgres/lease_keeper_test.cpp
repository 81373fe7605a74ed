// Several workers of one run, each with the thread that keeps its leases.

#include "experiments/run/queue/lease_keeper.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include "tests/conformance/samples.hpp"
#include "tests/postgres/database_run.hpp"

namespace ke::test {
namespace {

using Ms = std::chrono::milliseconds;
constexpr LeaseRules short_leases{Ms(600), 5};
constexpr int workers = 4;
constexpr int jobs = 8;

OpenWork work_of(WorkBoard& board, const std::string& name) {
  for (const OpenWork& open : *board.open_work()) {
    if (open.name == name) return open;
  }
  return {};
}

/// Takes jobs that last longer than a lease, until there is none. Adds up those handed in.
void serve(const std::string& run, std::atomic<int>& answered) {
  const auto board = *open_work_board(server_url(), {});
  const OpenWork work = work_of(*board, run);
  const std::int64_t worker = board->join(work, {"host", "cpu", 1, {}})->worker;
  LeaseKeeper keeper(*open_work_board(server_url(), {}), work, worker);
  const auto queue = board->queue(work, worker);
  while (const auto lease = *queue->claim({"cpu"}, board->now(), work.rules.time)) {
    keeper.add(lease->id);
    std::this_thread::sleep_for(2 * work.rules.time);
    Fact fact = sample_fact(1);
    fact.key = lease->job.key;
    if (*queue->complete(lease->id, fact, board->now())) ++answered;
    keeper.remove(lease->id);
    EXPECT_GE(keeper.workers(), 1);
  }
}

TEST(LeaseKeeper, jobs_longer_than_a_lease_are_done_once) {
  DatabaseRun run;
  ASSERT_TRUE(run.run().publish(sample_header(), short_leases, {{"cpu", ""}}, {}));
  for (int j = 0; j < jobs; ++j) ASSERT_TRUE(run.queue().push(sample_job(j)));
  ASSERT_TRUE(run.queue().take_finished());
  std::atomic<int> answered = 0;
  {
    std::vector<std::jthread> threads;
    for (int w = 0; w < workers; ++w) threads.emplace_back([&] { serve(run.name(), answered); });
  }
  EXPECT_EQ(answered, jobs);
  EXPECT_EQ(run.queue().take_finished()->size(), std::size_t{jobs});
  ASSERT_TRUE(run.history().finish({"budget", 0, 0, {}, {}}));
}

TEST(LeaseKeeper, says_that_the_run_has_ended) {
  DatabaseRun run;
  ASSERT_TRUE(run.run().publish(sample_header(), short_leases, {{"cpu", ""}}, {}));
  const auto board = *open_work_board(server_url(), {});
  const OpenWork work = work_of(*board, run.name());
  LeaseKeeper keeper(*open_work_board(server_url(), {}), work,
                     board->join(work, {"host", "cpu", 1, {}})->worker);
  ASSERT_TRUE(run.history().finish({"budget", 0, 0, {}, {}}));
  for (int looks = 0; looks < 100 && keeper.workers() > 0; ++looks) {
    std::this_thread::sleep_for(Ms(100));
  }
  EXPECT_EQ(keeper.workers(), 0);
}

}  // namespace
}  // namespace ke::test

// Several processes work on one run.

#include "tests/conformance/samples.hpp"
#include "tests/postgres/database_run.hpp"

namespace ke::test {
namespace {

using Ms = std::chrono::milliseconds;

EvaluatorInfo sample_info() {
  EvaluatorInfo info;
  info.kind = "cpu";
  info.device_class = "class";
  info.toolchain = "g++ 12";
  return info;
}

/// A published run with one device, and a worker's board.
struct PublishedRun : testing::Test {
  PublishedRun() {
    EXPECT_TRUE(run.run().publish(sample_header(), {Ms(30'000), 3}, {{"cpu", ""}},
                                  {{0, "task.yaml", std::string("a\0b\xff", 4)}}));
    board = *open_work_board(server_url(), {});
    for (const OpenWork& open : *board->open_work()) {
      if (open.name == run.name()) work = open;
    }
  }
  ~PublishedRun() override {
    StopRecord stop{"budget", 0, 0, {}, {}};
    EXPECT_TRUE(run.history().finish(stop));
  }
  DatabaseRun run;
  std::unique_ptr<WorkBoard> board;
  OpenWork work;
};

TEST_F(PublishedRun, workers_read_what_the_coordinator_published) {
  EXPECT_EQ(work.header.config_text, sample_header().config_text);
  EXPECT_EQ(work.rules.attempts, 3);
  EXPECT_EQ(work.on.kind, "cpu");
  EXPECT_TRUE(work.waiting);
  const auto files = *board->task_files(work);
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].path, "task.yaml");
  EXPECT_EQ(files[0].content, std::string("a\0b\xff", 4));
}

TEST_F(PublishedRun, the_first_worker_says_what_the_evaluator_is_and_others_must_equal_it) {
  EXPECT_FALSE(run.run().evaluator(0)->has_value());
  const auto first = *board->join(work, {"host", "cpu", 1, sample_info()});
  EXPECT_EQ(first.refused, "");
  EXPECT_EQ(encode(**run.run().evaluator(0)), encode(sample_info()));
  EXPECT_EQ(*run.run().live_workers(), 1);
  EvaluatorInfo other = sample_info();
  other.toolchain = "g++ 13";
  const auto second = *board->join(work, {"host", "cpu", 2, other});
  EXPECT_EQ(second.refused, "its toolchain is 'g++ 13', that of the run 'g++ 12'");
  EXPECT_EQ(*run.run().live_workers(), 1);
  EXPECT_TRUE(board->leave(first.worker, "stopped"));
  EXPECT_EQ(*run.run().live_workers(), 0);
}

TEST_F(PublishedRun, a_fact_handed_in_is_found_by_a_coordinator_that_never_took_it) {
  const auto worker = *board->join(work, {"host", "cpu", 1, sample_info()});
  const auto queue = board->queue(work, worker.worker);
  ASSERT_TRUE(run.queue().push(sample_job(1)));
  ASSERT_TRUE(run.queue().take_finished());
  const auto lease = *queue->claim({"cpu"}, board->now(), Ms(30'000));
  ASSERT_TRUE(lease);
  ASSERT_TRUE(*queue->complete(lease->id, sample_fact(1), board->now()));
  run.reopen();
  EXPECT_EQ(encode(**run.facts().find(sample_fact(1).key)), encode(sample_fact(1)));
  EXPECT_EQ(encode(**run.facts().find_job(sample_fact(1).key)), encode(sample_job(1)));
}

TEST_F(PublishedRun, work_that_is_done_late_counts_when_nobody_took_it_up) {
  const auto worker = *board->join(work, {"host", "cpu", 1, sample_info()});
  const auto queue = board->queue(work, worker.worker);
  ASSERT_TRUE(run.queue().push(sample_job(1)));
  ASSERT_TRUE(run.queue().take_finished());
  const auto lease = *queue->claim({"cpu"}, Ms(0), Ms(10));
  ASSERT_TRUE(lease);
  EXPECT_FALSE(*queue->heartbeat(lease->id, Ms(11), Ms(10)));
  EXPECT_TRUE(*queue->complete(lease->id, sample_fact(1), Ms(11)));
  EXPECT_EQ(run.queue().take_finished()->size(), 1u);
}

TEST_F(PublishedRun, a_second_coordinator_is_refused_while_the_first_one_lives) {
  const auto second = open_shared_run(server_url(), run.name(), Ms(0), {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message, "another coordinator works on run '" + run.name() + "'");
}

TEST_F(PublishedRun, the_fact_of_another_key_becomes_a_lost_one) {
  ASSERT_TRUE(run.queue().push(sample_job(1)));
  ASSERT_TRUE(run.queue().take_finished());
  const auto queue = board->queue(work, 1);
  const auto lease = *queue->claim({"cpu"}, Ms(0), Ms(10));
  ASSERT_TRUE(lease);
  EXPECT_FALSE(*queue->complete(lease->id, sample_fact(2), Ms(1)));
}

TEST(SharedRun, addresses_and_servers_that_are_none_are_said_so_without_the_address) {
  const auto wrong = open_shared_run("postgresql://u:secret@h/d?nonsense=1", "run", Ms(0), {});
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("the address of the database is none"), std::string::npos);
  EXPECT_EQ(wrong.error().message.find("secret"), std::string::npos);
  const auto away = open_work_board("postgresql://u:secret@127.0.0.1:9/d", {});
  ASSERT_FALSE(away);
  EXPECT_NE(away.error().message.find("cannot be reached"), std::string::npos);
  EXPECT_EQ(away.error().message.find("secret"), std::string::npos);
}

}  // namespace
}  // namespace ke::test

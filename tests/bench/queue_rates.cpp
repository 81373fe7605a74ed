// Latency and throughput of the work queue on PostgreSQL, with simulated workers: threads that
// claim, sleep and hand in, each with a connection of its own, as processes of other hosts would.
//
// usage: queue_rates URL WORKERS JOBS_A_SECOND SECONDS [EVALUATION_MS]
//        queue_rates URL raw CONNECTIONS SECONDS   prepared inserts of the same rows, each a
//        durable commit
// Latency: from the moment a job is due to its fact at the coordinator, without the evaluation's
// own time. JOBS_A_SECOND 0: as many as come through, 4 for each worker in flight.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <pqxx/pqxx>
#include <string>
#include <thread>
#include <vector>

#include "archive/shared_run.hpp"

namespace ke {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

Job job_of(std::int64_t n) {
  Job job;
  job.key = sha256("queue_rates " + std::to_string(Clock::now().time_since_epoch().count()) + " " +
                   std::to_string(n));
  job.kernel.name = "kernel.cpp";
  job.kernel.source = std::string(2000, 'x');
  job.needs = {"cpu", "device 0"};
  return job;
}

Fact fact_of(const Digest& key) {
  Fact fact;
  fact.key = key;
  fact.verdict = Verdict::ok;
  fact.feedback = std::string(500, 'y');
  return fact;
}

[[noreturn]] void fail(const Error& error) {
  fmt::print(stderr, "{}\n", error.message);
  std::exit(1);
}

template <typename T>
T must(Result<T> result) {
  if (!result) fail(result.error());
  return *std::move(result);
}

struct Load {
  std::string url;
  std::string name;
  std::int64_t workers = 0;
  std::int64_t jobs_a_second = 0;
  std::int64_t seconds = 0;
  milliseconds evaluation{0};
};

void work(const Load& load, std::atomic<int>& ready, const std::atomic<bool>& stop) {
  const auto board = must(open_work_board(load.url, {}));
  OpenWork mine;
  for (const OpenWork& open : must(board->open_work())) {
    if (open.name == load.name) mine = open;
  }
  EvaluatorInfo info;
  info.kind = "simulated";
  const std::int64_t worker = must(board->join(mine, {"host", "none", 0, info})).worker;
  const auto queue = board->queue(mine, worker);
  ++ready;
  for (std::int64_t turn = 0; !stop;) {
    const auto lease = must(queue->claim({"cpu", "device 0"}, board->now(), milliseconds(30'000)));
    if (!lease) {
      board->wait(milliseconds(500));
      std::this_thread::sleep_for(idle_pause(load.workers, worker, turn++));
      continue;
    }
    std::this_thread::sleep_for(load.evaluation);
    must(queue->complete(lease->id, fact_of(lease->job.key), board->now()));
  }
}

void report(const Load& load, std::vector<double> latencies, double wall_s,
            std::int64_t most_open) {
  std::ranges::sort(latencies);
  const auto at = [&](double q) {
    return latencies.empty()
               ? 0.0
               : latencies[static_cast<std::size_t>(q * static_cast<double>(latencies.size() - 1))];
  };
  fmt::print(
      "{} workers, evaluation {} ms, {} jobs in {:.1f} s = {:.0f} a second; latency ms: p50 {:.1f} "
      "p90 {:.1f} p99 "
      "{:.1f} max {:.1f}; at most {} open\n",
      load.workers, load.evaluation.count(), latencies.size(), wall_s,
      static_cast<double>(latencies.size()) / wall_s, at(0.5), at(0.9), at(0.99), at(1.0),
      most_open);
}

void coordinate(const Load& load, SharedRun& run) {
  std::map<Digest, Clock::time_point> open;
  std::vector<double> latencies;
  const auto start = Clock::now();
  const auto end = start + std::chrono::seconds(load.seconds);
  std::int64_t pushed = 0;
  std::int64_t most_open = 0;
  while (Clock::now() < end || !open.empty()) {
    const double elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    const bool over = Clock::now() >= end;
    const auto due = [&] {
      if (over) return false;
      if (load.jobs_a_second == 0) return static_cast<std::int64_t>(open.size()) < 4 * load.workers;
      return static_cast<double>(pushed) < elapsed * static_cast<double>(load.jobs_a_second);
    };
    for (; due(); ++pushed) {
      const Job job = job_of(pushed);
      const auto when =
          load.jobs_a_second == 0
              ? Clock::now()
              : start + std::chrono::nanoseconds(pushed * 1'000'000'000 / load.jobs_a_second);
      open[job.key] = when;
      if (auto done = run.queue().push(job); !done) fail(done.error());
    }
    most_open = std::max(most_open, static_cast<std::int64_t>(open.size()));
    const auto facts = must(run.queue().take_finished());
    const auto now = Clock::now();
    for (const Fact& fact : facts) {
      const std::chrono::duration<double, std::milli> took =
          now - open.at(fact.key) - load.evaluation;
      latencies.push_back(took.count());
      open.erase(fact.key);
    }
    if (facts.empty()) std::this_thread::sleep_for(milliseconds(1));
  }
  report(load, std::move(latencies), std::chrono::duration<double>(Clock::now() - start).count(),
         most_open);
}

void measure_queue(const Load& load) {
  const auto run = must(open_shared_run(load.url, load.name, milliseconds(0), {}));
  if (auto done = run->publish({}, {}, {{"simulated", ""}}, {}); !done) fail(done.error());
  std::atomic<int> ready = 0;
  std::atomic<bool> stop = false;
  std::vector<std::thread> workers;
  for (std::int64_t w = 0; w < load.workers; ++w) {
    workers.emplace_back([&] { work(load, ready, stop); });
    while (ready <= w) std::this_thread::sleep_for(milliseconds(1));
  }
  coordinate(load, *run);
  stop = true;
  for (std::thread& worker : workers) worker.join();
  if (auto done = run->history().finish({"budget", 0, 0, {}, {}}); !done) fail(done.error());
}

void measure_raw(const std::string& url, int connections, int seconds) {
  pqxx::connection first(url);
  {
    pqxx::nontransaction sql(first);
    sql.exec(
        "CREATE TABLE IF NOT EXISTS queue_rates_raw (n bigint, key bytea, job bytea, fact bytea)");
  }
  std::atomic<std::int64_t> rows = 0;
  const std::string job = encode(job_of(0));
  const std::string fact = encode(fact_of({}));
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  std::vector<std::thread> threads;
  for (int c = 0; c < connections; ++c) {
    threads.emplace_back([&] {
      pqxx::connection connection(url);
      connection.prepare("insert", "INSERT INTO queue_rates_raw VALUES ($1, $2, $3, $4)");
      while (Clock::now() < end) {
        pqxx::nontransaction sql(connection);
        sql.exec_prepared("insert", rows.load(), pqxx::binarystring(job.substr(0, 32)),
                          pqxx::binarystring(job), pqxx::binarystring(fact));
        ++rows;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  pqxx::nontransaction(first).exec("DROP TABLE queue_rates_raw");
  fmt::print("raw: {} connections, {:.0f} durable prepared inserts a second\n", connections,
             static_cast<double>(rows) / seconds);
}

}  // namespace
}  // namespace ke

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 4) {
    fmt::print(stderr,
               "usage: queue_rates URL WORKERS JOBS_A_SECOND SECONDS [EVALUATION_MS]\n"
               "       queue_rates URL raw CONNECTIONS SECONDS\n");
    return 2;
  }
  if (words[1] == "raw") {
    ke::measure_raw(words[0], std::stoi(words[2]), std::stoi(words[3]));
    return 0;
  }
  ke::Load load;
  load.url = words[0];
  load.name = fmt::format("queue_rates {}", ke::Clock::now().time_since_epoch().count());
  load.workers = std::stoll(words[1]);
  load.jobs_a_second = std::stoll(words[2]);
  load.seconds = std::stoll(words[3]);
  if (words.size() > 4) load.evaluation = ke::milliseconds(std::stoll(words[4]));
  ke::measure_queue(load);
  return 0;
}

#include "tests/bench/queue_load.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <map>
#include <mutex>
#include <pqxx/pqxx>
#include <queue>
#include <thread>

#include "archive/shared_run.hpp"

namespace ke::bench {
namespace {

using std::chrono::milliseconds;
using Ms = std::chrono::duration<double, std::milli>;

/// Evaluation time of a job, known to both sides by its key.
Clock::duration evaluation_of(const Load& load, const Digest& key) {
  if (load.most_ms <= 0) return {};
  const double place = (key.bytes[0] * 256 + key.bytes[1]) / 65536.0;
  const double ms = load.least_ms * std::pow(load.most_ms / load.least_ms, place);
  return std::chrono::duration_cast<Clock::duration>(Ms(ms));
}

template <typename F>
auto timed(std::vector<double>& times, F&& f) {
  const auto start = Clock::now();
  auto answer = f();
  times.push_back(Ms(Clock::now() - start).count());
  return answer;
}

/// A host whose lanes are simulated: they sleep. Works as WorkSession does.
class Host {
 public:
  Host(const Load& load, const std::string& run, std::size_t lanes)
      : load_(load), lanes_(lanes), board_(must(open_work_board(load.url, {}))) {
    for (const OpenWork& open : must(board_->open_work())) {
      if (open.name == run) mine_ = open;
    }
    EvaluatorInfo info;
    info.kind = "simulated";
    worker_ = must(board_->join(mine_, {"host", "none", 0, info})).worker;
    queue_ = board_->queue(mine_, worker_);
  }

  void serve(const std::atomic<bool>& stop) {
    for (std::int64_t turn = 0; !stop; ++turn) {
      finish_due();
      const bool news = busy_.size() < lanes_ && board_->wait(milliseconds(0));
      if (busy_.empty() || news || Clock::now() >= next_claim_) claim();
      const milliseconds pause = idle_pause(load_.hosts, worker_, turn);
      if (busy_.empty()) {
        board_->wait(milliseconds(500));
        std::this_thread::sleep_for(pause);
        continue;
      }
      const bool full = busy_.size() == lanes_;
      const auto longest = full ? milliseconds(50) : std::max(pause, milliseconds(5));
      std::this_thread::sleep_until(std::min(busy_.top().end, Clock::now() + longest));
    }
  }
  const Latencies& latencies() const { return latencies_; }

 private:
  struct Busy {
    Clock::time_point end;
    std::int64_t lease;
    Digest key;
    bool operator<(const Busy& other) const { return end > other.end; }  // the first one on top
  };

  void claim() {
    next_claim_ = Clock::now() + milliseconds(500);
    while (busy_.size() < lanes_) {
      const auto lease = timed(latencies_.claim, [&] {
        return must(queue_->claim({"cpu", "device 0"}, board_->now(), milliseconds(30'000)));
      });
      if (!lease) {
        latencies_.claim.pop_back();
        return;
      }
      busy_.push({Clock::now() + evaluation_of(load_, lease->job.key), lease->id, lease->job.key});
    }
  }

  void finish_due() {
    while (!busy_.empty() && busy_.top().end <= Clock::now()) {
      const Busy done = busy_.top();
      busy_.pop();
      next_claim_ = {};
      timed(latencies_.finish, [&] {
        return must(queue_->complete(done.lease, sample_fact(done.key), board_->now()));
      });
    }
  }

  const Load& load_;
  const std::size_t lanes_;
  std::unique_ptr<WorkBoard> board_;
  OpenWork mine_;
  std::int64_t worker_ = 0;
  std::unique_ptr<WorkQueue> queue_;
  std::priority_queue<Busy> busy_;
  Clock::time_point next_claim_;
  Latencies latencies_;
};

struct Span {
  Clock::time_point from, to;
};

/// A thread on each core that sleeps for 1 ms and notes when it wakes up late.
class CoreWatch {
 public:
  CoreWatch() {
    for (unsigned core = 0; core < std::thread::hardware_concurrency(); ++core) {
      threads_.emplace_back([this, core](const std::stop_token& stop) { watch(core, stop); });
    }
  }
  std::vector<Span> end() {
    threads_.clear();
    return std::move(stalls_);
  }

 private:
  void watch(unsigned core, const std::stop_token& stop) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
    while (!stop.stop_requested()) {
      const auto from = Clock::now();
      std::this_thread::sleep_for(milliseconds(1));
      const auto to = Clock::now();
      if (to - from < milliseconds(10)) continue;
      const std::lock_guard lock(mutex_);
      stalls_.push_back({from, to});
    }
  }

  std::mutex mutex_;
  std::vector<Span> stalls_;
  std::vector<std::jthread> threads_;
};

/// Whether a core was away while the job was in the queue, before or after its evaluation. Looks at
/// 100 ms on either side at most: what takes longer is the queue's own doing.
bool is_disturbed(const Span& job, double latency_ms, const std::vector<Span>& stalls) {
  const auto part = std::chrono::duration_cast<Clock::duration>(Ms(std::min(latency_ms, 100.0)));
  return std::ranges::any_of(stalls, [&](const Span& stall) {
    const bool before = stall.from <= job.from + part && job.from <= stall.to;
    return before || (stall.from <= job.to && job.to - part <= stall.to);
  });
}

/// The searching side: jobs when they are due, facts as soon as they are there.
class Coordinator {
 public:
  Coordinator(const Load& load, WorkQueue& queue) : load_(load), queue_(queue) {}

  Latencies run() {
    const auto start = Clock::now();
    const auto end = start + std::chrono::seconds(load_.seconds);
    std::int64_t pushed = 0;
    while (Clock::now() < end || !open_.empty()) {
      for (; Clock::now() < end; ++pushed) {
        const auto due = due_at(start, pushed);
        if (due > Clock::now()) break;
        push(due, pushed);
      }
      latencies_.most_open =
          std::max(latencies_.most_open, static_cast<std::int64_t>(open_.size()));
      if (take() == 0) std::this_thread::sleep_for(milliseconds(1));
    }
    // Where each job follows the answer of another one, the last ones are work of the same kind.
    const auto asked = load_.jobs_a_second > 0 ? end : Clock::now();
    latencies_.asking_s = std::chrono::duration<double>(asked - start).count();
    return std::move(latencies_);
  }
  /// From the moment each job was due to its fact, with its latency.
  const std::vector<std::pair<Span, double>>& jobs() const { return jobs_; }

 private:
  Clock::time_point due_at(Clock::time_point start, std::int64_t number) const {
    if (load_.jobs_a_second > 0) {
      return start + std::chrono::nanoseconds(number * 1'000'000'000 / load_.jobs_a_second);
    }
    const bool enough = static_cast<std::int64_t>(open_.size()) >= 4 * load_.workers;
    return enough ? Clock::time_point::max() : Clock::now();
  }

  void push(Clock::time_point due, std::int64_t number) {
    const Job job =
        sample_job(fmt::format("{} {}", Clock::now().time_since_epoch().count(), number));
    open_[job.key] = due;
    if (auto done = queue_.push(job); !done) fail(done.error());
  }

  std::size_t take() {
    const auto facts = must(queue_.take_finished());
    const auto now = Clock::now();
    for (const Fact& fact : facts) {
      const auto due = open_.find(fact.key);
      if (due == open_.end()) continue;  // of the measurement before: its row was still there
      latencies_.queue.push_back(Ms(now - due->second - evaluation_of(load_, fact.key)).count());
      jobs_.push_back({{due->second, now}, latencies_.queue.back()});
      open_.erase(due);
    }
    return facts.size();
  }

  const Load& load_;
  WorkQueue& queue_;
  std::map<Digest, Clock::time_point> open_;
  std::vector<std::pair<Span, double>> jobs_;
  Latencies latencies_;
};

std::unique_ptr<SharedRun> opened(const Load& load, const std::string& name) {
  return must(open_shared_run(load.url, name, milliseconds(1000), {}));
}

}  // namespace

void fail(const Error& error) {
  fmt::print(stderr, "{}\n", error.message);
  std::exit(1);
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  const auto place =
      values.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, place);
  return *place;
}

// Text that compresses about as well as a kernel.
Job sample_job(const std::string& name) {
  Job job;
  job.key = sha256("queue_rates " + name);
  job.kernel.name = "kernel.cpp";
  for (std::size_t i = 0; i < job.key.bytes.size(); ++i) {
    const int a = job.key.bytes[i];
    const int b = job.key.bytes[(i * 7 + 1) % job.key.bytes.size()];
    job.kernel.source += fmt::format(
        "  for (int i{0} = 0; i{0} < n; i{0} += {1}) acc[{2}] += x[i{0} + {3}] * {4};\n", i,
        1 + a % 16, b % 8, b, a * b);
  }
  job.needs = {"cpu", "device 0"};
  return job;
}

Fact sample_fact(const Digest& key) {
  Fact fact;
  fact.key = key;
  fact.verdict = Verdict::ok;
  fact.feedback = std::string(300, 'y');
  WorkloadTiming timing{"n=1024", "bench", 1.25, {1.2, 1.3}, 1000, 1250, 0, {}};
  Cluster cluster{64, "ABBAABBAABBAABBA", {}, {}};
  for (std::size_t i = 0; i < cluster.order.size(); ++i) {
    cluster.samples_ns.push_back(1'000'000 + 256 * key.bytes[i] + key.bytes[i + 16]);
    cluster.cpu_ns.push_back(cluster.samples_ns.back() - key.bytes[i]);
  }
  timing.clusters = {cluster, cluster};
  fact.comparison = Comparison{Decision::better, 1.25, {1.2, 1.3}, 0.01, {timing, timing}};
  return fact;
}

QueueRun::QueueRun(const Load& load)
    : load_(load), name_(fmt::format("queue_rates {}", Clock::now().time_since_epoch().count())) {
  const auto run = opened(load, name_);
  if (auto done = run->publish({}, {}, {{"simulated", ""}}, {}); !done) fail(done.error());
}

void QueueRun::fill(std::int64_t jobs) {
  pqxx::connection connection(load_.url);
  pqxx::work sql(connection);
  const std::string job = encode(sample_job("fill"));
  const std::string fact = encode(sample_fact(sample_job("fill").key));
  const auto insert = [&](const std::string& rows, const auto&... values) {
    sql.exec_params(
        "WITH r AS (SELECT id AS run_id FROM run WHERE name = $1), n AS (SELECT n, "
        "sha256(convert_to('fill ' || n, 'UTF8')) AS h "
        "FROM generate_series($2::bigint, $3::bigint) n) " +
            rows,
        name_, filled_, jobs - 1, values...);
  };
  insert(
      "INSERT INTO fact (run_id, key, job, fact, worker, attempt) "
      "SELECT run_id, h, $4, $5, 1, 1 FROM r, n",
      pqxx::binarystring(job), pqxx::binarystring(fact));
  insert(
      "INSERT INTO step (run_id, idx, step, island, history_hash) "
      "SELECT run_id, n, n, 0, h FROM r, n");
  insert("INSERT INTO candidate SELECT run_id, n, 0, 0, 'knob_step', 'ok', n, true, h FROM r, n");
  sql.commit();
  pqxx::nontransaction(connection).exec("ANALYZE job, fact, step, candidate");
  filled_ = jobs;
}

std::int64_t QueueRun::finished() const {
  pqxx::connection connection(load_.url);
  pqxx::nontransaction sql(connection);
  return sql
      .exec_params("SELECT count(*) FROM fact JOIN run ON run_id = id WHERE name = $1", name_)[0][0]
      .as<std::int64_t>();
}

Latencies QueueRun::measure() {
  const auto run = opened(load_, name_);
  std::vector<std::unique_ptr<Host>> hosts;
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (std::int64_t h = 0; h < load_.hosts; ++h) {
    const auto lanes = static_cast<std::size_t>(load_.workers / load_.hosts +
                                                (h < load_.workers % load_.hosts ? 1 : 0));
    hosts.push_back(std::make_unique<Host>(load_, name_, lanes));
    threads.emplace_back([&stop, host = hosts.back().get()] { host->serve(stop); });
  }
  CoreWatch watch;
  Coordinator coordinator(load_, run->queue());
  Latencies all = coordinator.run();
  stop = true;
  for (std::thread& thread : threads) thread.join();
  const std::vector<Span> stalls = watch.end();
  for (const auto& [span, latency] : coordinator.jobs()) {
    if (!is_disturbed(span, latency, stalls)) all.undisturbed.push_back(latency);
  }
  for (const auto& host : hosts) {
    const Latencies& part = host->latencies();
    all.claim.insert(all.claim.end(), part.claim.begin(), part.claim.end());
    all.finish.insert(all.finish.end(), part.finish.begin(), part.finish.end());
  }
  return all;
}

void QueueRun::end() {
  const auto run = opened(load_, name_);
  if (auto done = run->history().finish({"budget", 0, 0, {}, {}}); !done) fail(done.error());
}

double raw_rate(const std::string& url, std::int64_t connections, std::int64_t seconds) {
  pqxx::connection first(url);
  pqxx::nontransaction(first).exec(
      "CREATE TABLE IF NOT EXISTS queue_rates_raw (n bigint, key bytea, job bytea, fact bytea)");
  std::atomic<std::int64_t> rows = 0;
  const Job job = sample_job("raw");
  const std::string job_bytes = encode(job);
  const std::string fact_bytes = encode(sample_fact(job.key));
  const std::string key(job.key.bytes.begin(), job.key.bytes.end());
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  std::vector<std::thread> threads;
  for (std::int64_t c = 0; c < connections; ++c) {
    threads.emplace_back([&] {
      pqxx::connection connection(url);
      connection.prepare("insert", "INSERT INTO queue_rates_raw VALUES ($1, $2, $3, $4)");
      while (Clock::now() < end) {
        pqxx::nontransaction sql(connection);
        sql.exec_prepared("insert", rows.load(), pqxx::binarystring(key),
                          pqxx::binarystring(job_bytes), pqxx::binarystring(fact_bytes));
        ++rows;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  pqxx::nontransaction(first).exec("DROP TABLE queue_rates_raw");
  return static_cast<double>(rows) / static_cast<double>(seconds);
}

double append_rate(const Load& load) {
  std::vector<std::unique_ptr<SharedRun>> runs;
  for (std::int64_t c = 0; c < load.hosts; ++c) {
    runs.push_back(
        opened(load, fmt::format("append {} {}", Clock::now().time_since_epoch().count(), c)));
  }
  std::atomic<std::int64_t> facts = 0;
  const auto end = Clock::now() + std::chrono::seconds(load.seconds);
  std::vector<std::jthread> threads;
  for (const auto& run : runs) {
    threads.emplace_back([&facts, end, log = &run->facts()] {
      Job job = sample_job("append");
      Fact fact = sample_fact(job.key);
      for (std::int64_t n = 0; Clock::now() < end; ++n, ++facts) {
        job.key = fact.key = sha256(std::to_string(n));
        if (auto done = log->append(job, fact); !done) fail(done.error());
      }
    });
  }
  threads.clear();
  return static_cast<double>(facts) / static_cast<double>(load.seconds);
}

}  // namespace ke::bench

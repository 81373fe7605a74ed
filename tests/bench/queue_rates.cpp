// Latency and throughput of the work queue on PostgreSQL, with simulated workers on one machine.
//
// Each host is a thread with one connection that serves its share of the workers, as the lanes of
// one `kernelevolve worker` are served; with --hosts equal to --workers each worker has its own.
// Latency of the queue: from the moment a job is due to its fact at the coordinator, without the
// evaluation's own time.
//   --filled 10000,1000000   measures again with that many finished jobs in the database
//   --vacuum                 at the last of them again, while VACUUM runs over and over
//   --against-raw N          N rounds, each with prepared inserts of the same rows and with appends
//                            to the log of facts before it

#include <fmt/format.h>

#include <atomic>
#include <boost/program_options.hpp>
#include <iostream>
#include <pqxx/pqxx>
#include <sstream>
#include <thread>

#include "tests/bench/queue_load.hpp"

namespace ke::bench {
namespace {

struct Settings {
  Load load;
  std::vector<std::int64_t> filled;
  bool vacuum = false;
  std::int64_t against_raw = 0;
};

void print(const std::string& name, const Latencies& l) {
  fmt::print(
      "{}: {} jobs, {:.0f} a second; queue ms: p50 {:.1f} p99 {:.1f} max {:.1f}, p99 of the {} "
      "during which no core was away for 10 ms {:.1f}; claim ms: p50 {:.2f} p99 {:.2f}; finish ms: "
      "p50 {:.2f} p99 {:.2f}; at most {} open\n",
      name, l.queue.size(), l.rate(), quantile(l.queue, 0.5), quantile(l.queue, 0.99),
      quantile(l.queue, 1), l.undisturbed.size(), quantile(l.undisturbed, 0.99),
      quantile(l.claim, 0.5), quantile(l.claim, 0.99), quantile(l.finish, 0.5),
      quantile(l.finish, 0.99), l.most_open);
  std::cout.flush();
}

/// Bytes of the tables that grow with a run, indexes included, and how often the server vacuumed.
void print_tables(const std::string& url, std::int64_t jobs) {
  pqxx::connection connection(url);
  pqxx::nontransaction sql(connection);
  double all = 0;
  for (const auto& row :
       sql.exec("SELECT relname, pg_total_relation_size(relid), autovacuum_count FROM "
                "pg_stat_user_tables WHERE relname IN ('job', 'fact', 'step', 'candidate') ORDER "
                "BY 1")) {
    const auto bytes = row[1].as<double>();
    all += bytes;
    fmt::print("  {}: {:.1f} MB, vacuumed by the server {} times so far\n",
               row[0].as<std::string>(), bytes / 1e6, row[2].as<std::int64_t>());
  }
  fmt::print("  {} finished jobs: {:.0f} bytes a job\n", jobs, all / static_cast<double>(jobs));
}

Latencies measured_beside_vacuum(const Load& load, QueueRun& run) {
  std::atomic<bool> stop = false;
  int passes = 0;
  std::thread vacuum([&] {
    pqxx::connection connection(load.url);
    for (; !stop; ++passes) {
      pqxx::nontransaction(connection).exec("VACUUM (ANALYZE) job, fact, step, candidate");
    }
  });
  Latencies latencies = run.measure();
  stop = true;
  vacuum.join();
  fmt::print("{} passes of VACUUM\n", passes);
  return latencies;
}

void measure_filled(const Settings& settings) {
  QueueRun run(settings.load);
  print("empty", run.measure());
  for (const std::int64_t jobs : settings.filled) {
    run.fill(jobs);
    const std::int64_t finished = run.finished();
    print(fmt::format("{} finished jobs", finished), run.measure());
    print_tables(settings.load.url, run.finished());
  }
  if (settings.vacuum) {
    print("beside VACUUM", measured_beside_vacuum(settings.load, run));
    print("without again", run.measure());
  }
  run.end();
}

void measure_against_raw(const Settings& settings) {
  for (std::int64_t round = 0; round < settings.against_raw; ++round) {
    const double raw = raw_rate(settings.load.url, settings.load.hosts, settings.load.seconds);
    const double facts = append_rate(settings.load);
    QueueRun run(settings.load);
    const Latencies latencies = run.measure();
    run.end();
    const double jobs = latencies.rate();
    fmt::print(
        "{} connections: {:.0f} prepared inserts a second; {:.0f} facts a second through the log: "
        "{:.2f} of them; {:.0f} jobs a second through the queue, of two commits each: {:.2f}\n",
        settings.load.hosts, raw, facts, facts / raw, jobs, 2 * jobs / raw);
    std::cout.flush();
  }
}

Settings read(int argc, char** argv) {
  namespace options = boost::program_options;
  Settings settings;
  std::string filled;
  options::options_description known;
  auto add = known.add_options();
  add("help", "");
  add("url", options::value(&settings.load.url)->required(), "address of the database");
  add("workers", options::value(&settings.load.workers)->default_value(16), "simulated workers");
  add("hosts", options::value(&settings.load.hosts)->default_value(16), "connections of theirs");
  add("rate", options::value(&settings.load.jobs_a_second)->default_value(0),
      "jobs a second; 0: as many as come through");
  add("seconds", options::value(&settings.load.seconds)->default_value(10), "of each measurement");
  add("least-ms", options::value(&settings.load.least_ms)->default_value(0), "of an evaluation");
  add("most-ms", options::value(&settings.load.most_ms)->default_value(0), "of an evaluation");
  add("filled", options::value(&filled)->default_value(""), "numbers of finished jobs");
  add("vacuum", options::bool_switch(&settings.vacuum), "");
  add("against-raw", options::value(&settings.against_raw)->default_value(0), "rounds");
  options::variables_map values;
  options::store(options::parse_command_line(argc, argv, known), values);
  if (values.contains("help")) {
    std::cout << "usage: queue_rates --url URL ...\n" << known;
    std::exit(0);
  }
  options::notify(values);
  std::istringstream list(filled);
  for (std::string number; std::getline(list, number, ',');) {
    settings.filled.push_back(std::stoll(number));
  }
  return settings;
}

}  // namespace
}  // namespace ke::bench

int main(int argc, char** argv) {
  const auto settings = ke::bench::read(argc, argv);
  if (settings.against_raw > 0) {
    ke::bench::measure_against_raw(settings);
  } else {
    ke::bench::measure_filled(settings);
  }
  return 0;
}

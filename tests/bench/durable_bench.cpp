// Compares the store with prepared SQLite inserts of the same rows, for candidates with sources of
// 4 KB. Arguments: candidates per transaction, synchronous=FULL (1) or NORMAL (0). `ratio` is the
// store's rate over the raw one; both alternate in blocks, so that a disturbance affects both.

#include <SQLiteCpp/SQLiteCpp.h>
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <random>

#include "archive/sqlite_store.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
constexpr std::int64_t blocks = 20;
constexpr std::int64_t block_candidates = 720;

std::string source_of(std::int64_t n) {
  std::minstd_rand letters(static_cast<unsigned>(n + 1));
  std::string text(4096, ' ');
  for (char& c : text) c = static_cast<char>('a' + letters() % 26);
  return text;
}

CandidatePtr candidate_of(std::int64_t step, std::int64_t slot, std::int64_t per_step) {
  auto made = std::make_shared<Candidate>();
  made->id = {step, 0, slot};
  made->operator_name = "mutation";
  if (step > 0) made->ancestors = {{{step - 1, 0, slot}, ParentRole::parent}};
  made->kernel.name = "kernel.cpp";
  made->kernel.source = source_of(step * per_step + slot);
  made->genome_hash = made->kernel.genome_hash();
  made->evaluation.verdict = Verdict::ok;
  made->evaluation.objective = 1 + static_cast<double>(slot) / 64;
  made->evaluation.measures = {{"intensity", 0.5}, {"width", 256}};
  made->evaluation.measured = true;
  return made;
}

StepRecord step_of(std::int64_t step, std::int64_t per_step) {
  StepRecord record;
  record.index = step;
  record.step = step;
  for (std::int64_t slot = 0; slot < per_step; ++slot) {
    record.candidates.push_back(candidate_of(step, slot, per_step));
    ArchiveEvent event;
    event.archive = "island";
    event.challenger = record.candidates.back()->id;
    event.cell = static_cast<std::size_t>(slot);
    event.status = Addition::improved;
    record.events.push_back(event);
  }
  record.history_hash = sha256(std::to_string(step));
  return record;
}

/// Writes the rows of a step by prepared statements, with precomputed ids and hashes.
class RawWriter {
 public:
  RawWriter(const std::string& path, bool full_sync) : database_(path, SQLite::OPEN_READWRITE) {
    database_.exec("PRAGMA foreign_keys = ON");
    database_.exec(full_sync ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
    database_.exec("PRAGMA cache_size = -65536");
    database_.exec("PRAGMA wal_autocheckpoint = 8000");
  }

  void write(const StepRecord& record, const std::vector<Digest>& source_hashes,
             const std::vector<Digest>& content_hashes) {
    run(begin_);
    run(step_, record.index, record.step, record.island, nullptr, std::int64_t{1},
        record.history_hash);
    const std::int64_t first = id_ + 1;
    for (std::size_t i = 0; i < record.candidates.size(); ++i) {
      put(record, *record.candidates[i], source_hashes[i], content_hashes[i]);
    }
    for (std::size_t i = 0; i < record.events.size(); ++i) {
      const ArchiveEvent& e = record.events[i];
      run(event_, record.index, static_cast<std::int64_t>(i), e.archive,
          first + static_cast<std::int64_t>(i), static_cast<std::int64_t>(e.cell), nullptr,
          std::string("improved"), std::string("none"), nullptr, 0.0, 0.0, std::int64_t{0});
    }
    run(commit_);
  }

 private:
  void put(const StepRecord& record, const Candidate& c, const Digest& source,
           const Digest& content) {
    ++id_;
    run(source_, source, c.kernel.source);
    run(genome_, c.genome_hash, c.kernel.language, id_, c.kernel.launch_plan);
    run(candidate_, record.index, c.id.step, c.id.island, c.id.slot, c.operator_name,
        std::string("kernel"), std::string(), c.kernel.name, id_, nullptr, std::string(), content);
    if (!c.ancestors.empty()) {
      run(parent_, id_, std::int64_t{0}, id_ - static_cast<std::int64_t>(record.candidates.size()),
          std::string("parent"));
    }
    run(evaluation_, id_, std::string("ok"), std::string(), std::string(), nullptr,
        c.evaluation.objective, 0.0, 0.0, nullptr, std::int64_t{1});
    for (const auto& [axis, value] : c.evaluation.measures) run(measure_, id_, axis, value);
  }

  static void bind(SQLite::Statement& s, int i, std::int64_t v) { s.bind(i, v); }
  static void bind(SQLite::Statement& s, int i, double v) { s.bind(i, v); }
  static void bind(SQLite::Statement& s, int i, const std::string& v) { s.bindNoCopy(i, v); }
  static void bind(SQLite::Statement& s, int i, std::nullptr_t) { s.bind(i); }
  static void bind(SQLite::Statement& s, int i, const Digest& v) {
    s.bindNoCopy(i, v.bytes.data(), static_cast<int>(v.bytes.size()));
  }
  template <typename... Args>
  static void run(SQLite::Statement& s, const Args&... args) {
    int index = 0;
    (bind(s, ++index, args), ...);
    s.executeStep();
    s.reset();
  }

  SQLite::Database database_;
  std::int64_t id_ = 0;
  SQLite::Statement begin_{database_, "BEGIN IMMEDIATE"};
  SQLite::Statement commit_{database_, "COMMIT"};
  SQLite::Statement step_{database_, "INSERT INTO step VALUES (?, ?, ?, ?, ?, ?)"};
  SQLite::Statement source_{database_, "INSERT INTO source (hash, text) VALUES (?, ?)"};
  SQLite::Statement genome_{
      database_, "INSERT INTO genome (hash, language, source_id, launch_plan) VALUES (?, ?, ?, ?)"};
  SQLite::Statement candidate_{
      database_,
      "INSERT INTO candidate (step_idx, step, island, slot, operator, outcome, no_child_reason, "
      "kernel_name, genome_id, duplicate_of, duplicate_kind, content_hash) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"};
  SQLite::Statement parent_{database_, "INSERT INTO parent VALUES (?, ?, ?, ?)"};
  SQLite::Statement evaluation_{database_,
                                "INSERT INTO evaluation VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"};
  SQLite::Statement measure_{database_, "INSERT INTO evaluation_measure VALUES (?, ?, ?)"};
  SQLite::Statement event_{database_,
                           "INSERT INTO archive_event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"};
};

struct Rates {
  double store_s = 0;
  double raw_s = 0;
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void remove_run(const fs::path& path) {
  for (const char* suffix : {"", "-wal", "-shm", ".lock"}) fs::remove(path.string() + suffix);
}

Result<std::unique_ptr<SqliteStore>> fresh(const fs::path& path, bool full_sync) {
  remove_run(path);
  KE_TRY(auto store, SqliteStore::open(path.string(), {.full_sync = full_sync}));
  KE_TRY_VOID(store->history().begin({}));
  return store;
}

/// Writes one block of steps with both.
Result<void> write_block(SqliteStore& store, RawWriter& raw, std::int64_t block,
                         std::int64_t per_step, Rates& rates) {
  const std::int64_t steps = block_candidates / per_step;
  std::vector<StepRecord> records;
  std::vector<std::vector<Digest>> hashes;
  for (std::int64_t s = 0; s < steps; ++s) {
    records.push_back(step_of(block * steps + s, per_step));
    hashes.emplace_back();
    for (const auto& c : records.back().candidates)
      hashes.back().push_back(sha256(c->kernel.source));
  }
  auto start = Clock::now();
  for (const StepRecord& record : records) KE_TRY_VOID(store.history().commit(record));
  rates.store_s += seconds_since(start);
  start = Clock::now();
  for (std::size_t s = 0; s < records.size(); ++s) raw.write(records[s], hashes[s], hashes[s]);
  rates.raw_s += seconds_since(start);
  return {};
}

Result<Rates> measure(const fs::path& folder, std::int64_t per_step, bool full_sync) {
  const fs::path ours = folder / "durable_store.kev";
  const fs::path theirs = folder / "durable_raw.kev";
  KE_TRY(const auto store, fresh(ours, full_sync));
  KE_TRY(auto schema, fresh(theirs, full_sync));
  schema.reset();  // it created the tables
  RawWriter raw(theirs.string(), full_sync);
  Rates rates;
  for (std::int64_t block = 0; block < blocks; ++block) {
    KE_TRY_VOID(write_block(*store, raw, block, per_step, rates));
  }
  return rates;
}

void durable_candidates(benchmark::State& state) {
  const fs::path folder = fs::temp_directory_path();
  for (auto _ : state) {
    const auto rates = measure(folder, state.range(0), state.range(1) != 0);
    if (!rates) return state.SkipWithError(rates.error().message.c_str());
    const double count = static_cast<double>(blocks * block_candidates);
    state.counters["store_per_s"] = count / rates->store_s;
    state.counters["raw_per_s"] = count / rates->raw_s;
    state.counters["ratio"] = rates->raw_s / rates->store_s;
  }
  remove_run(folder / "durable_store.kev");
  remove_run(folder / "durable_raw.kev");
}
BENCHMARK(durable_candidates)
    ->Args({1, 0})
    ->Args({36, 0})
    ->Args({1, 1})
    ->Args({36, 1})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ke

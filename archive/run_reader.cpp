#include "archive/run_reader.hpp"

#include <filesystem>

#include "archive/sqlite/device_rows.hpp"
#include "archive/sqlite/fact_rows.hpp"
#include "archive/sqlite/open.hpp"
#include "archive/sqlite/step_rows.hpp"
#include "archive/sqlite/store_file.hpp"
#include "archive/sqlite/task_rows.hpp"

namespace ke {
namespace {

using sqlite::Row;
using sqlite::Sql;

// A session without an end counts up to the last thing it wrote.
double elapsed_s(Sql& sql) {
  const auto seconds = sql.last(
      "SELECT sum(max(0, coalesce(s.stopped_ms, "
      "  (SELECT max(committed_ms) FROM step WHERE session_id = s.id), "
      "  (SELECT max(arrived_ms) FROM attempt WHERE session_id = s.id), s.started_ms) "
      "  - s.started_ms)) / 1000.0 FROM session s",
      [](const Row& row) { return row.null(0) ? 0 : row.real(0); });
  return seconds.value_or(0);
}

/// The message is the compiler's first error, else the judge's; SQLite takes it from the row with
/// the least id.
std::vector<FailureReason> failure_reasons(Sql& sql) {
  return sql.list(
      "SELECT verdict, reason, count(*), text, min(id) FROM (SELECT c.id AS id, "
      "  CASE c.outcome WHEN 'kernel' THEN e.verdict ELSE c.outcome END AS verdict, "
      "  CASE c.outcome WHEN 'kernel' THEN e.reason ELSE c.no_child_reason END AS reason, coalesce("
      "    (SELECT d.message FROM evaluation_diagnostic d WHERE d.candidate_id = c.id "
      "     AND d.severity LIKE '%error%' ORDER BY d.position LIMIT 1), e.message) AS text "
      "  FROM candidate c JOIN evaluation e ON e.candidate_id = c.id "
      "  WHERE c.outcome = 'no_child' OR (c.outcome = 'kernel' AND e.verdict <> 'ok')) "
      "GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2",
      [](const Row& row) {
        const std::string message = row.text(3);
        return FailureReason{row.text(0), row.text(1), row.integer(2),
                             message.substr(0, message.find('\n'))};
      });
}

RunCounters count(Sql& sql) {
  RunCounters counters;
  counters.steps = sqlite::count_steps(sql);
  counters.proposals = sql.find("SELECT count(*) FROM candidate").value_or(0);
  counters.evaluations = sql.find("SELECT count(*) FROM evaluation WHERE measured").value_or(0);
  for (const auto& [step, trials] : sqlite::read_timed_trials(sql)) counters.evaluations += trials;
  counters.judged = sql.find(
                           "SELECT count(*) FROM candidate c JOIN evaluation e "
                           "ON e.candidate_id = c.id WHERE c.outcome = 'kernel' AND "
                           "e.verdict NOT IN ('lost', 'unreliable', 'timeout')")
                        .value_or(0);
  if (const auto numeric = sqlite::sum_numeric_batches(sql)) {
    counters.proposals += numeric->solutions;
    counters.evaluations += numeric->solutions;
    counters.judged += numeric->solutions;
  }
  sql.each("SELECT verdict, sum(candidates) FROM v_failures GROUP BY verdict",
           [&](const Row& row) { counters.failures[row.text(0)] = row.integer(1); });
  counters.reasons = failure_reasons(sql);
  counters.elapsed_s = elapsed_s(sql);
  if (counters.elapsed_s > 0) {
    counters.evaluations_per_s = static_cast<double>(counters.evaluations) / counters.elapsed_s;
  }
  return counters;
}

Cost cost_of(const Row& row) { return {row.integer(0), row.integer(1), row.integer(2)}; }

RunCosts sum_costs(Sql& sql) {
  RunCosts costs;
  sql.each("SELECT sum(compile_ns), sum(lane_ns), sum(judge_cpu_ns) FROM attempt",
           [&](const Row& row) { costs.all = cost_of(row); });
  sql.each(
      "SELECT sum(compile_ns), sum(lane_ns), sum(judge_cpu_ns) FROM attempt "
      "WHERE key IN (SELECT key FROM evidence UNION "
      "SELECT duel_key FROM archive_event WHERE duel_key IS NOT NULL)",
      [&](const Row& row) { costs.searched = cost_of(row); });
  sql.each(
      "SELECT total(max(0, (SELECT max(committed_ms) FROM step WHERE session_id = s.id) "
      "  - s.started_ms)) / 1000 FROM session s",
      [&](const Row& row) { costs.search_s = row.real(0); });
  sql.each("SELECT count(*), sum(input_tokens), sum(output_tokens), total(dollars) FROM exchange",
           [&](const Row& row) {
             costs.exchanges = row.integer(0);
             costs.input_tokens = row.integer(1);
             costs.output_tokens = row.integer(2);
             costs.dollars = row.real(3);
           });
  return costs;
}

std::vector<SessionInfo> read_sessions(Sql& sql) {
  return sql.list(
      "SELECT host, hardware, microcode, kernel, binary_hash, sandbox_level, started_ms, "
      "stopped_ms, exit_code FROM session ORDER BY id",
      [](const Row& row) {
        return SessionInfo{row.text(0), row.text(1),    row.text(2),  row.text(3), row.text(4),
                           row.text(5), row.integer(6), row.maybe(7), row.maybe(8)};
      });
}

RunHeader header_or_refuse(Sql& sql) {
  auto header = sqlite::read_header(sql);
  if (!header) sqlite::refuse(sqlite::no_run_yet);
  return *std::move(header);
}

}  // namespace

std::string_view to_string(RunState state) {
  switch (state) {
    case RunState::running: return "running";
    case RunState::done: return "done";
    case RunState::interrupted: break;
  }
  return "interrupted";
}

Result<std::unique_ptr<RunReader>> RunReader::open(const std::string& path) {
  auto file = std::make_unique<sqlite::StoreFile>();
  file->path = path;
  KE_TRY(file->sql, sqlite::open_for_reading(path));
  return std::unique_ptr<RunReader>(new RunReader(std::move(file)));
}

RunReader::RunReader(std::unique_ptr<sqlite::StoreFile> file) : file_(std::move(file)) {}
RunReader::~RunReader() = default;

const std::string& RunReader::path() const { return file_->path; }
std::string RunReader::run_id() const { return std::filesystem::path(path()).stem().string(); }

Result<RunHeader> RunReader::header() const { return file_->read(header_or_refuse); }

Result<std::map<std::string, std::string>> RunReader::task_labels() const {
  return file_->read(sqlite::read_task_labels);
}

Result<std::map<std::string, std::string>> RunReader::kept_options() const {
  return file_->read(sqlite::read_kept_options);
}

Result<RunState> RunReader::state() const {
  if (sqlite::WriterLock::is_held(path())) return RunState::running;
  KE_TRY(const auto stopped, stop());
  return stopped && stopped->reason != "interrupted" ? RunState::done : RunState::interrupted;
}

Result<std::optional<StopRecord>> RunReader::stop() const { return file_->read(sqlite::read_stop); }
Result<RunCounters> RunReader::counters() const { return file_->read(count); }
Result<RunCosts> RunReader::costs() const { return file_->read(sum_costs); }
Result<std::vector<SessionInfo>> RunReader::sessions() const { return file_->read(read_sessions); }

Result<std::optional<NumericBatch>> RunReader::numeric() const {
  return file_->read(sqlite::sum_numeric_batches);
}

Result<Digest> RunReader::history_hash() const {
  return file_->read([](Sql& sql) {
    if (const auto stopped = sqlite::read_stop(sql)) return stopped->history_hash;
    const auto last = sqlite::read_step_hash(sql, sqlite::count_steps(sql) - 1);
    return last ? *last : header_or_refuse(sql).first_hash();
  });
}

Result<Digest> RunReader::record_hash() const {
  return file_->read([](Sql& sql) { return sqlite::read_record_digests(sql).hash(); });
}

bool is_being_written(const std::string& path) { return sqlite::WriterLock::is_held(path); }

bool was_never_begun(const std::string& path) {
  if (sqlite::is_empty_database(path)) return true;
  const auto reader = RunReader::open(path);
  if (!reader) return false;
  const auto counters = (*reader)->counters();
  return counters && counters->steps == 0;
}

bool remove_never_begun(const std::string& path) {
  const auto lock = sqlite::WriterLock::take(path);
  if (!lock || !was_never_begun(path)) return false;
  std::error_code ignored;
  for (const char* suffix : {"-wal", "-shm", ""}) std::filesystem::remove(path + suffix, ignored);
  return !std::filesystem::exists(path, ignored);
}

}  // namespace ke

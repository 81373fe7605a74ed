#include "archive/run_rows.hpp"

#include <limits>
#include <unordered_map>

#include "archive/sqlite/device_rows.hpp"
#include "archive/sqlite/store_file.hpp"

namespace ke {
namespace {

using sqlite::Row;
using sqlite::Sql;

/// Index of each row in its list, by row number in the file.
using Places = std::unordered_map<std::int64_t, std::int64_t>;

std::int64_t place_of(const Row& row, int column, const Places& places) {
  if (row.null(column)) return -1;
  const auto found = places.find(row.integer(column));
  if (found == places.end()) sqlite::refuse("damaged: a row names one that is not there");
  return found->second;
}

/// Candidates are numbered from 1 without gaps, so their indices need no map.
std::int64_t candidate_place(const Row& row, int column, const RunRows& rows) {
  if (row.null(column)) return -1;
  const std::int64_t place = row.integer(column) - 1;
  if (place < 0 || place >= static_cast<std::int64_t>(rows.candidates.size())) {
    sqlite::refuse("damaged: a row names a candidate that is not there");
  }
  return place;
}

void read_sources(Sql& sql, RunRows& rows, Places& places) {
  sql.each("SELECT id, text FROM source ORDER BY id", [&](const Row& row) {
    places.emplace(row.integer(0), static_cast<std::int64_t>(rows.sources.size()));
    rows.sources.push_back(row.text(1));
  });
}

void read_genes(Sql& sql, RunRows& rows, const Places& genomes) {
  sql.each("SELECT genome_id, name, value FROM knob", [&](const Row& row) {
    const auto at = static_cast<std::size_t>(place_of(row, 0, genomes));
    rows.genomes[at].knobs.emplace(row.text(1), row.text(2));
  });
  sql.each("SELECT genome_id, value FROM flag ORDER BY genome_id, position", [&](const Row& row) {
    const auto at = static_cast<std::size_t>(place_of(row, 0, genomes));
    rows.genomes[at].flags.push_back(row.text(1));
  });
}

void read_genomes(Sql& sql, RunRows& rows, Places& genomes) {
  Places sources;
  read_sources(sql, rows, sources);
  sql.each("SELECT id, hash, language, source_id, launch_plan FROM genome ORDER BY id",
           [&](const Row& row) {
             genomes.emplace(row.integer(0), static_cast<std::int64_t>(rows.genomes.size()));
             rows.genomes.push_back(
                 {row.digest(1), row.text(2), place_of(row, 3, sources), row.text(4), {}, {}});
           });
  read_genes(sql, rows, genomes);
}

void read_notes(Sql& sql, RunRows& rows, Places& notes) {
  sql.each("SELECT id, text FROM note WHERE id IN (SELECT feedback_id FROM evaluation) ORDER BY id",
           [&](const Row& row) {
             notes.emplace(row.integer(0), static_cast<std::int64_t>(rows.notes.size()));
             rows.notes.push_back(row.text(1));
           });
}

CandidateRow candidate_of(const Row& row, const Places& genomes, const Places& notes) {
  CandidateRow c;
  c.id = row.id(1);
  c.step_index = row.integer(4);
  c.operator_name = row.text(5);
  c.outcome = row.text(6);
  c.no_child_reason = row.text(7);
  c.kernel_name = row.text(8);
  c.genome = place_of(row, 9, genomes);
  c.duplicate_of = row.null(10) ? -1 : row.integer(10) - 1;
  c.duplicate_kind = row.text(11);
  c.verdict = row.text(12);
  c.reason = row.text(13);
  c.message = row.text(14);
  c.build = row.maybe(15).value_or(0);
  c.objective = row.real(16);
  c.ci_low = row.real(17);
  c.ci_high = row.real(18);
  c.measured = row.integer(19) != 0;
  c.feedback = place_of(row, 20, notes);
  return c;
}

void read_candidates(Sql& sql, RunRows& rows) {
  Places genomes, notes;
  read_genomes(sql, rows, genomes);
  read_notes(sql, rows, notes);
  sql.each(
      "SELECT c.id, c.step, c.island, c.slot, c.step_idx, c.operator, c.outcome, "
      "c.no_child_reason, c.kernel_name, c.genome_id, c.duplicate_of, c.duplicate_kind, e.verdict, "
      "e.reason, e.message, e.build_id, e.objective, e.ci_low, e.ci_high, e.measured, "
      "e.feedback_id "
      "FROM candidate c JOIN evaluation e ON e.candidate_id = c.id ORDER BY c.id",
      [&](const Row& row) {
        rows.candidates.push_back(candidate_of(row, genomes, notes));
        if (row.integer(0) != static_cast<std::int64_t>(rows.candidates.size())) {
          sqlite::refuse("damaged: candidates are missing");
        }
      });
}

void read_parents(Sql& sql, RunRows& rows) {
  sql.each("SELECT candidate_id, parent_id, role FROM parent ORDER BY candidate_id, position",
           [&](const Row& row) {
             rows.parents.push_back(
                 {candidate_place(row, 0, rows), candidate_place(row, 1, rows), row.text(2)});
           });
}

void read_measures(Sql& sql, RunRows& rows) {
  const std::vector<double> none(rows.candidates.size(), std::numeric_limits<double>::quiet_NaN());
  sql.each("SELECT axis, candidate_id, value FROM evaluation_measure", [&](const Row& row) {
    auto& column = rows.measures.try_emplace(row.text(0), none).first->second;
    column[static_cast<std::size_t>(candidate_place(row, 1, rows))] = row.real(2);
  });
}

void read_diagnostics(Sql& sql, RunRows& rows) {
  sql.each(
      "SELECT candidate_id, file, line, col, severity, message FROM evaluation_diagnostic "
      "ORDER BY candidate_id, position",
      [&](const Row& row) {
        rows.diagnostics.push_back(
            {candidate_place(row, 0, rows),
             {row.text(1), row.integer(2), row.integer(3), row.text(4), row.text(5)}});
      });
}

void read_events(Sql& sql, RunRows& rows) {
  sql.each(
      "SELECT a.step_idx, CASE a.archive WHEN 'passive' THEN -1 ELSE s.island END, "
      "a.challenger_id, a.cell, a.incumbent_id, a.status, a.decision, a.bound_low, a.bound_high "
      "FROM archive_event a JOIN step s ON s.idx = a.step_idx "
      "WHERE a.status IN ('new_cell', 'improved') OR a.decision <> 'none' "
      "ORDER BY a.step_idx, a.position",
      [&](const Row& row) {
        rows.events.push_back({row.integer(0), row.integer(1), candidate_place(row, 2, rows),
                               row.integer(3), candidate_place(row, 4, rows), row.text(5),
                               row.text(6), row.real(7), row.real(8)});
      });
}

void read_cells(Sql& sql, RunRows& rows) {
  sql.each("SELECT challenger_id, cell FROM archive_event WHERE archive = 'passive'",
           [&](const Row& row) {
             const auto place = static_cast<std::size_t>(candidate_place(row, 0, rows));
             rows.candidates[place].cell = row.integer(1);
           });
}

void read_migrations(Sql& sql, RunRows& rows) {
  sql.each(
      "SELECT step_idx, from_island, to_island, migrant_id, chosen_at FROM migration "
      "ORDER BY step_idx, position",
      [&](const Row& row) {
        rows.migrations.push_back({row.integer(0), row.integer(1), row.integer(2),
                                   candidate_place(row, 3, rows), row.integer(4)});
      });
}

JobRow job_of(const Row& row) {
  JobRow job;
  job.session = row.maybe(0).value_or(0) - 1;
  job.purpose = row.text(1);
  job.opponent = row.null(2) ? "" : row.text(2);
  job.verdict = row.text(3);
  job.cost = {row.integer(4), row.integer(5), row.integer(6)};
  job.arrived_ms = row.integer(7);
  job.compared = !row.null(8);
  if (!job.compared) return job;
  job.decision = row.text(8);
  job.speedup = row.real(9);
  job.ci_low = row.real(10);
  job.ci_high = row.real(11);
  job.resolvable = row.real(12);
  return job;
}

void read_jobs(Sql& sql, RunRows& rows) {
  sql.each(
      "SELECT a.session_id, a.purpose, a.opponent, a.verdict, a.compile_ns, a.lane_ns, "
      "a.judge_cpu_ns, a.arrived_ms, m.decision, m.speedup, m.ci_low, m.ci_high, m.resolvable "
      "FROM attempt a LEFT JOIN measurement m ON m.attempt_id = a.id ORDER BY a.id",
      [&](const Row& row) { rows.jobs.push_back(job_of(row)); });
}

void read_exchanges(Sql& sql, RunRows& rows) {
  sql.each(
      "SELECT x.session_id, min(c.step_idx), min(c.id), "
      "CASE x.model_returned WHEN '' THEN x.model ELSE x.model_returned END, x.status, "
      "x.input_tokens, x.output_tokens, x.dollars "
      "FROM exchange x LEFT JOIN evidence v ON v.key = x.key "
      "LEFT JOIN candidate c ON c.id = v.candidate_id GROUP BY x.id ORDER BY x.id",
      [&](const Row& row) {
        rows.exchanges.push_back({row.maybe(0).value_or(0) - 1, row.maybe(1).value_or(-1),
                                  candidate_place(row, 2, rows), row.text(3), row.text(4),
                                  row.integer(5), row.integer(6), row.real(7)});
      });
}

void read_numeric(Sql& sql, RunRows& rows) {
  sql.each("SELECT cell, objective FROM numeric_elite ORDER BY cell", [&](const Row& row) {
    rows.numeric_elites.push_back({row.integer(0), row.real(1)});
  });
}

}  // namespace

Result<RunRows> read_rows(const RunReader& reader) {
  return reader.file().read([](Sql& sql) {
    const sqlite::Transaction snapshot(sql, "BEGIN");
    RunRows rows;
    EvaluatorInfo unknown;
    unknown.protocol_version = 0;
    unknown.noisy = false;
    rows.evaluator = sqlite::read_evaluator(sql).value_or(unknown);
    rows.steps = sql.find("SELECT count(*) FROM step").value_or(0);
    read_candidates(sql, rows);
    read_parents(sql, rows);
    read_measures(sql, rows);
    read_diagnostics(sql, rows);
    read_events(sql, rows);
    read_cells(sql, rows);
    read_migrations(sql, rows);
    read_jobs(sql, rows);
    read_exchanges(sql, rows);
    read_numeric(sql, rows);
    rows.roofline = sqlite::read_roofline(sql);
    return rows;
  });
}

}  // namespace ke

#include "archive/run_reader.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <ctime>
#include <fstream>

#include "archive/run_folder.hpp"
#include "archive/run_verify.hpp"
#include "tests/archive/temporary_run.hpp"
#include "tests/conformance/samples.hpp"

namespace ke::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Fact fact_with_key(const Digest& key) {
  Fact fact = sample_fact(4);
  fact.key = key;
  fact.cost = {100, 10, 1};
  return fact;
}

// Writes the facts of the steps in samples.hpp, then `steps` steps, a figure and optionally the
// stop.
void write_run(TemporaryRun& run, std::int64_t steps, const std::string& stop_reason = "") {
  SessionInfo session{"host", "cpu", "0x1", "6.1", "abc", "full", 1'000, {}, {}};
  ASSERT_TRUE(run.store().begin_session(session));
  ASSERT_TRUE(run.history().begin(sample_header()));
  ASSERT_TRUE(run.store().describe_archive(
      "passive", {{"width", "bit", {"128", "256"}}, {"code", "byte", {"a", "b", "c"}}}));
  Digest hash = sample_header().first_hash();
  for (const StepRecord& record : sample_steps(steps)) {
    for (const auto& keys : record.fact_keys) {
      for (const Digest& key : keys) {
        ASSERT_TRUE(run.facts().append(sample_job(1, JobKind::build), fact_with_key(key)));
      }
    }
    for (const auto& event : record.events) {
      if (event.duel_key.is_zero()) continue;
      ASSERT_TRUE(run.facts().append(sample_job(2, JobKind::duel), fact_with_key(event.duel_key)));
    }
    ASSERT_TRUE(run.history().commit(record));
    hash = record.history_hash;
  }
  if (stop_reason.empty()) return;
  ASSERT_TRUE(run.facts().append(sample_job(3, JobKind::verify), fact_with_key(digest("v"))));
  ASSERT_TRUE(run.facts().append(sample_exchange(1)));
  ASSERT_TRUE(run.history().add_verified(
      {{1, 0, 0}, "naive", "bench", 2.5, {2.4, 2.6}, digest("v"), "note"}));
  StopRecord stop{stop_reason, 2 * steps, 2 * steps, LogicalId{1, 0, 0}, {}};
  stop.history_hash = stop.chained(hash);
  ASSERT_TRUE(run.history().finish(stop));
  ASSERT_TRUE(run.store().end_session(3'000, 0));
}

std::unique_ptr<RunReader> reader_of(const TemporaryRun& run) {
  auto opened = RunReader::open(run.path());
  EXPECT_TRUE(opened) << opened.error().message;
  return *std::move(opened);
}

TEST(RunReader, reads_while_a_writer_runs) {
  TemporaryRun run;
  write_run(run, 4);
  const auto reader = reader_of(run);
  EXPECT_EQ(*reader->state(), RunState::running);
  EXPECT_EQ(reader->counters()->steps, 4);
  ASSERT_TRUE(run.history().commit(sample_step(4, **run.history().hash_at(3))));
  EXPECT_EQ(reader->counters()->steps, 5);
  run.close();
  EXPECT_EQ(*reader->state(), RunState::interrupted);
}

TEST(RunReader, tells_done_from_interrupted) {
  TemporaryRun done;
  write_run(done, 2, "budget");
  done.close();
  EXPECT_EQ(*reader_of(done)->state(), RunState::done);
  TemporaryRun interrupted;
  write_run(interrupted, 2, "interrupted");
  interrupted.close();
  EXPECT_EQ(*reader_of(interrupted)->state(), RunState::interrupted);
}

TEST(RunReader, counts_candidates_failures_costs_and_time) {
  TemporaryRun run;
  write_run(run, 4, "budget");
  const auto reader = reader_of(run);
  const RunCounters counters = *reader->counters();
  EXPECT_EQ(counters.proposals, 8);
  EXPECT_EQ(counters.evaluations, 8);
  // n = 10 step + slot; wrong_result where n % 4 == 3: n = 11 and 31.
  EXPECT_THAT(counters.failures, ElementsAre(std::pair{std::string("wrong_result"), 2}));
  EXPECT_EQ(counters.judged, 8);
  ASSERT_THAT(counters.reasons, SizeIs(1));
  EXPECT_EQ(counters.reasons[0].verdict, "wrong_result");
  EXPECT_EQ(counters.reasons[0].count, 2);
  EXPECT_DOUBLE_EQ(counters.elapsed_s, 2);
  EXPECT_DOUBLE_EQ(counters.evaluations_per_s, 4);
  // 8 candidates with 2 facts each, 3 duels, 1 verification; one more fact is unused.
  ASSERT_TRUE(run.facts().append(sample_job(1), fact_with_key(digest("unused"))));
  const RunCosts costs = *reader->costs();
  EXPECT_EQ(costs.searched.lane_ns, 19 * 10);
  EXPECT_NEAR(costs.search_s, static_cast<double>(std::time(nullptr)) - 1,
              60);  // commits have the current time
  EXPECT_EQ(costs.all.compile_ns, 21 * 100);
  EXPECT_EQ(costs.exchanges, 1);
  EXPECT_EQ(costs.output_tokens, 20);
  EXPECT_THAT(*reader->sessions(), SizeIs(1));
  EXPECT_EQ(reader->sessions()->at(0).exit_code, 0);
}

TEST(RunReader, gives_back_steps_and_candidates_as_committed) {
  TemporaryRun run;
  write_run(run, 3);
  const auto reader = reader_of(run);
  Digest hash = sample_header().first_hash();
  for (const StepRecord& expected : sample_steps(3)) {
    const auto stored = **reader->step(expected.index);
    EXPECT_EQ(stored.chained(hash), expected.history_hash);
    EXPECT_EQ(stored.fact_keys, expected.fact_keys);
    hash = expected.history_hash;
  }
  EXPECT_EQ(reader->step(3)->has_value(), false);
  const auto view = **reader->candidate({2, 0, 1});
  EXPECT_EQ(view.row, 6);
  EXPECT_EQ(view.step_index, 2);
  const auto expected = sample_candidate({2, 0, 1});
  EXPECT_EQ(encode(view.candidate->kernel), encode(expected->kernel));
  EXPECT_EQ(view.candidate->evaluation.measures, expected->evaluation.measures);
  EXPECT_TRUE(std::signbit(view.candidate->evaluation.measures.at("odd")));
  EXPECT_EQ(view.candidate->evaluation.objective, expected->evaluation.objective);
  EXPECT_EQ((*reader->candidate_at(6))->candidate->id, (LogicalId{2, 0, 1}));
  EXPECT_EQ(reader->candidate({9, 0, 0})->has_value(), false);
  EXPECT_EQ(reader->candidate_at(99)->has_value(), false);
  EXPECT_EQ(*reader->history_hash(), hash);
}

// Uses more rows than one statement takes.
TEST(RunReader, gives_back_all_of_many_knobs) {
  TemporaryRun run;
  const auto candidate = sample_candidate({0, 0, 0});
  for (int i = 0; i < 70; ++i) candidate->kernel.knobs["K" + std::to_string(i)] = std::to_string(i);
  candidate->genome_hash = candidate->kernel.genome_hash();
  StepRecord record = sample_step(0, sample_header().first_hash());
  record.candidates = {candidate};
  record.fact_keys.resize(1);
  record.events.clear();
  ASSERT_TRUE(run.history().begin(sample_header()));
  const auto committed = run.history().commit(record);
  ASSERT_TRUE(committed) << committed.error().message;
  const auto view = *reader_of(run)->candidate_at(1);
  EXPECT_EQ(view->candidate->kernel.genome_hash(), candidate->genome_hash);
}

TEST(RunReader, follows_lineage_both_ways) {
  TemporaryRun run;
  write_run(run, 4);
  const auto reader = reader_of(run);
  std::vector<LogicalId> line;
  for (const auto& view : *reader->lineage({2, 0, 1})) line.push_back(view.candidate->id);
  EXPECT_THAT(line, ElementsAre(LogicalId{0, 0, 1}, LogicalId{1, 0, 1}, LogicalId{2, 0, 1}));
  EXPECT_THAT(reader->lineage({9, 9, 9}).error().message, HasSubstr("no candidate 9.9.9"));
}

TEST(RunReader, gives_a_candidates_facts_and_duels) {
  TemporaryRun run;
  write_run(run, 2, "budget");
  const auto reader = reader_of(run);
  const auto facts = *reader->facts({1, 0, 0});
  ASSERT_THAT(facts, SizeIs(3));
  EXPECT_EQ(facts[0].fact.key, digest("b10"));
  EXPECT_EQ(facts[0].opponent, "anchor");
  EXPECT_EQ(facts[2].purpose, JobKind::duel);
  EXPECT_EQ(facts[2].session, 0);
  EXPECT_EQ(encode(facts[2].fact), encode(fact_with_key(digest("duel 1"))));
  const auto figures = *reader->verified();
  ASSERT_THAT(figures, SizeIs(1));
  EXPECT_EQ(figures[0].note, "note");
  EXPECT_EQ(figures[0].ci.high, 2.6);
}

TEST(RunReader, gives_what_sanitizers_and_profiler_said_of_a_candidate) {
  TemporaryRun run;
  write_run(run, 4);
  const auto reader = reader_of(run);
  const LogicalId id{1, 0, 0};
  EXPECT_FALSE(*reader->examined(id));
  Job job = sample_job(5, JobKind::sanitize);
  job.kernel = (*reader->candidate(id))->candidate->kernel;
  Fact fact = fact_with_key(digest("examined"));
  fact.message = "clean";
  fact.measures["ncu_dram_pct"] = 91.5;
  fact.feedback = R"({"profile":["memory-bound"]})";
  ASSERT_TRUE(run.facts().append(job, fact));
  const auto examined = reader->examined(id);
  ASSERT_TRUE(examined && *examined);
  EXPECT_EQ((*examined)->message, "clean");
  EXPECT_EQ((*examined)->measures.at("ncu_dram_pct"), 91.5);
  EXPECT_EQ((*examined)->feedback, fact.feedback);
}

TEST(RunReader, knows_the_archive_at_any_step) {
  TemporaryRun run;
  write_run(run, 5);
  const auto reader = reader_of(run);
  // Step i fills cell i % 3: of the island's archive with slot 0, of the passive one with slot 1.
  EXPECT_THAT(*reader->elites(1), SizeIs(4));
  const auto elites = *reader->elites();
  ASSERT_THAT(elites, SizeIs(6));
  EXPECT_EQ(elites[0].archive, "island");
  EXPECT_EQ(elites[0].island, 0);
  EXPECT_EQ(elites[0].candidate, (LogicalId{3, 0, 0}));
  EXPECT_EQ(elites[3].archive, "passive");
  EXPECT_EQ(elites[3].island, -1);
  EXPECT_EQ(elites[5].candidate, (LogicalId{2, 0, 1}));
  // objective = 1 + (10 step + slot) / 2
  const double qd_score = 3 + (31 + 41 + 21) / 2.0;
  const auto axes = *reader->axes("passive");
  EXPECT_EQ(cells_of(axes), 6u);
  EXPECT_DOUBLE_EQ(fill_of(elites, axes, "passive")->qd_score, qd_score);
  EXPECT_DOUBLE_EQ(fill_of(elites, axes, "passive")->coverage, 0.5);
  EXPECT_DOUBLE_EQ(fill_of(elites, axes, "island")->coverage, 0.5);
  EXPECT_THAT(axes[1].bins, ElementsAre("a", "b", "c"));
  const auto progress = *reader->progress();
  ASSERT_THAT(progress, SizeIs(5));
  EXPECT_EQ(progress[1].evaluations, 4);
  EXPECT_EQ(progress[1].filled, 2);
  EXPECT_DOUBLE_EQ(progress[1].best, 1 + 10 / 2.0);  // 1.0.1 is a wrong result
  EXPECT_DOUBLE_EQ(progress[4].qd_score, qd_score);
}

TEST(RunReader, counts_distinct_cells_of_all_islands) {
  // Two cells of three places, once for generalists and once for specialists.
  const std::vector<AxisShape> axes = {{"validation", "", {"generalist", "specialist"}},
                                       {"width", "bit", {"128", "256"}},
                                       {"place", "", {"0", "1", "2"}}};
  const std::vector<EliteRow> elites = {{"island", 0, 3, {}, 2.0},
                                        {"island", 1, 5, {}, 4.0},
                                        {"island", 0, 6, {}, 9.0},
                                        {"passive", -1, 0, {}, 1.0}};
  EXPECT_EQ(distinct_cells(axes), 2u);
  EXPECT_DOUBLE_EQ(fill_of(elites, axes, "island")->coverage, 0.5);
  EXPECT_DOUBLE_EQ(fill_of(elites, axes, "island")->qd_score, 4.0);
  EXPECT_FALSE(fill_of(elites, {}, "island"));
}

TEST(RunReader, every_view_answers) {
  TemporaryRun run;
  write_run(run, 4, "budget");
  SQLite::Database database(run.path(), SQLite::OPEN_READONLY);
  const auto count = [&](const std::string& view) {
    return database.execAndGet("SELECT count(*) FROM " + view).getInt();
  };
  EXPECT_EQ(count("v_best"), 6);
  EXPECT_EQ(count("v_archive"), 6);
  EXPECT_EQ(count("v_lineage"), 12);
  EXPECT_EQ(count("v_failures"), 1);
  EXPECT_EQ(count("v_cost"), 4);  // build, duel, verify and exchange
  EXPECT_EQ(database.execAndGet("SELECT id FROM v_best LIMIT 1").getString(), "3.0.0");
  EXPECT_THAT(*reader_of(run)->best(2), ElementsAre(LogicalId{3, 0, 0}, LogicalId{2, 0, 1}));
}

TEST(RunReader, reads_a_closed_run_in_a_folder_that_cannot_be_written) {
  TemporaryRun run;
  write_run(run, 2, "budget");
  run.close();
  std::filesystem::permissions(run.folder().path(), std::filesystem::perms{0555});
  EXPECT_EQ(reader_of(run)->counters()->steps, 2);
  std::filesystem::permissions(run.folder().path(), std::filesystem::perms{0755});
}

TEST(RunFolder, lists_run_files) {
  TemporaryRun run;
  write_run(run, 1);
  std::ofstream(run.folder().file("broken.kev")) << "nonsense of more than a few bytes";
  EXPECT_THAT(*list_run_files(run.folder().path().string()),
              ElementsAre(run.folder().file("broken.kev"), run.path()));
  EXPECT_THAT(*list_run_files(run.path()), ElementsAre(run.path()));
  EXPECT_THAT(list_run_files("/nowhere").error().message, HasSubstr("no run file"));
}

TEST(RunVerify, accepts_an_untouched_run_and_computes_both_hashes) {
  TemporaryRun run;
  write_run(run, 6, "budget");
  const auto reader = reader_of(run);
  const auto report = *verify_run(*reader);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(report.steps, 6);
  EXPECT_EQ(report.facts, 12 * 2 + 5 + 1 + 1);
  EXPECT_EQ(report.history_hash, *reader->history_hash());
  EXPECT_EQ(report.record_hash, *run.facts().record_hash());
}

// A statement that changes one row behind the store's back, and the expected complaint.
struct Tampering {
  std::string statement;
  std::string named;
  friend void PrintTo(const Tampering& t, std::ostream* out) { *out << t.statement; }
};

class Tampered : public testing::TestWithParam<Tampering> {};

TEST_P(Tampered, is_found_and_named) {
  TemporaryRun run;
  write_run(run, 4, "budget");
  run.close();
  {
    SQLite::Database database(run.path(), SQLite::OPEN_READWRITE);
    EXPECT_GT(database.exec(GetParam().statement), 0) << "changed nothing";
  }
  const auto report = verify_run(*reader_of(run));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->ok());
  EXPECT_THAT(report->problems, testing::Contains(HasSubstr(GetParam().named)));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, Tampered,
    testing::Values(
        Tampering{"UPDATE evaluation SET objective = 99 WHERE candidate_id = 3",
                  "candidate 1.0.0:"},
        Tampering{"UPDATE evaluation SET verdict = 'ok' WHERE verdict <> 'ok'", "candidate 1.0.1:"},
        Tampering{"UPDATE evaluation SET verdict = 'great' WHERE candidate_id = 3", "step 1:"},
        Tampering{"UPDATE evaluation_measure SET value = 1 WHERE candidate_id = 1 AND axis = 'odd'",
                  "candidate 0.0.0:"},
        Tampering{"UPDATE source SET text = text || ' ' WHERE id = 1", "genome hash"},
        Tampering{"UPDATE knob SET value = '77' WHERE genome_id = 1 AND name = 'TILE'",
                  "genome hash"},
        Tampering{"UPDATE parent SET role = 'failed' WHERE candidate_id = 5 AND position = 0",
                  "candidate 2.0.0:"},
        Tampering{"UPDATE archive_event SET cell = 9 WHERE step_idx = 2 AND position = 0",
                  "step 2: its rows (step, archive_event or migration)"},
        Tampering{"DELETE FROM migration WHERE step_idx = 3 AND position = 1", "step 3:"},
        Tampering{"UPDATE step SET history_hash = zeroblob(32) WHERE idx = 1", "step 1:"},
        Tampering{"UPDATE run SET seed = 8", "step 0:"},
        Tampering{"UPDATE run SET config_text = 'x = 1'", "run: config_text"},
        Tampering{"UPDATE stop SET evaluations = 7", "stop:"},
        Tampering{"UPDATE cluster SET cpu_ns = zeroblob(16) WHERE rowid = 1", "attempt "},
        Tampering{"UPDATE workload_timing SET speedup = 9.0 WHERE id = 2", "attempt "},
        Tampering{"UPDATE attempt SET lane_ns = 1 WHERE id = 1", "attempt "},
        Tampering{"UPDATE exchange SET input_tokens = 0", "exchange "},
        Tampering{"UPDATE verified SET speedup = 25.0", "verified 1.0.0 naive bench:"},
        Tampering{
            "UPDATE evidence SET key = randomblob(32) WHERE candidate_id = 1 AND position = 0",
            "candidate 0.0.0: rests on fact"}));

// SQLite itself guards types, names and links between rows.
TEST(Schema, refuses_rows_that_break_it) {
  TemporaryRun run;
  write_run(run, 2);
  run.close();
  SQLite::Database database(run.path(), SQLite::OPEN_READWRITE);
  database.exec("PRAGMA foreign_keys = ON");
  for (const char* statement :
       {"UPDATE run SET seed = 'seven'", "UPDATE candidate SET outcome = 'magic' WHERE id = 1",
        "INSERT INTO knob VALUES (999, 'a', 'b')", "DELETE FROM candidate WHERE id = 1",
        "UPDATE archive_event SET status = 'won'", "INSERT INTO step VALUES (0, 0, 0, 1, 0, x'')",
        "UPDATE evaluation SET measured = 2", "INSERT INTO run SELECT 2, 1, '', x'', '', x'', 0"}) {
    EXPECT_THROW(database.exec(statement), SQLite::Exception) << statement;
  }
}

}  // namespace
}  // namespace ke::test

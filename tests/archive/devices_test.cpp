// Runs on several devices: their archives combined, and their rows.

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include "archive/archives.hpp"
#include "archive/device_archives.hpp"
#include "archive/grid.hpp"
#include "archive/recorded_facts.hpp"
#include "archive/run_devices.hpp"
#include "tests/archive/temporary_run.hpp"

namespace ke::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::shared_ptr<Candidate> candidate(LogicalId id, double objective, double measure) {
  auto made = std::make_shared<Candidate>();
  made->id = id;
  made->operator_name = "knob_step";
  made->kernel.name = "kernel";
  made->genome_hash = made->kernel.genome_hash();
  made->evaluation.verdict = Verdict::ok;
  made->evaluation.objective = objective;
  made->evaluation.measures = {{"width", measure}, {"share", measure}};
  made->evaluation.measured = true;
  return made;
}

std::unique_ptr<Archive> grid(const std::string& measure, std::int64_t bins) {
  return std::make_unique<GridArchive>(
      std::vector{Axis::divided({.name = measure, .unit = "1", .low = 0, .high = 1, .bins = bins})},
      nullptr);
}

/// Islands 0 and 2 belong to device a with 2 cells, island 1 to device b with 4.
DeviceArchives two_devices() {
  std::vector<DeviceArchives::Part> parts;
  parts.push_back({"a", grid("width", 2)});
  parts.push_back({"b", grid("share", 4)});
  return {std::move(parts), {0, 1, 0}};
}

TEST(DeviceArchives, cells_of_devices_follow_one_another) {
  DeviceArchives archive = two_devices();
  EXPECT_EQ(archive.cells(), 6u);
  EXPECT_EQ(archive.offer(candidate({0, 0, 0}, 1, 0.9)).cell, 1u);
  EXPECT_EQ(archive.offer(candidate({0, 1, 0}, 1, 0.9)).cell, 5u);
  EXPECT_EQ(archive.cell_of(*candidate({1, 1, 0}, 1, 0.1)), 2u);
  ASSERT_THAT(archive.elites(), SizeIs(2));
  EXPECT_EQ(archive.elites()[1].cell, 5u);
}

TEST(DeviceArchives, kernels_of_different_devices_never_contend) {
  DeviceArchives archive = two_devices();
  archive.offer(candidate({0, 0, 0}, 1, 0.1));
  EXPECT_EQ(archive.offer(candidate({0, 1, 0}, 9, 0.1)).status, Addition::new_cell);
  const OfferResult same_device = archive.offer(candidate({0, 2, 0}, 2, 0.2));
  EXPECT_EQ(same_device.status, Addition::improved);
  EXPECT_EQ(same_device.incumbent->id.island, 0);
}

TEST(DeviceArchives, one_axis_names_device_and_bin_of_each_cell) {
  const auto axes = axes_of(two_devices());
  ASSERT_THAT(axes, SizeIs(1));
  EXPECT_EQ(axes[0].measure, "device");
  ASSERT_THAT(axes[0].bins, SizeIs(6));
  EXPECT_THAT(axes[0].bins[1], testing::StartsWith("a: [0.5"));
  EXPECT_THAT(axes[0].bins[2], testing::StartsWith("b: [0"));
}

StepRecord step_of(std::int64_t index, const CandidatePtr& made, const std::string& status) {
  StepRecord record;
  record.index = index;
  record.step = made->id.step;
  record.island = made->id.island;
  record.candidates = {made};
  record.fact_keys = {{}};
  if (status.empty()) return record;
  ArchiveEvent event;
  event.archive = "island";
  event.challenger = made->id;
  event.status = status == "improved" ? Addition::improved : Addition::rejected;
  record.events.push_back(event);
  return record;
}

std::shared_ptr<Candidate> migrant(LogicalId id, LogicalId from, double objective) {
  auto made = candidate(id, objective, 0.5);
  made->operator_name = "migration";
  made->ancestors = {{from, ParentRole::parent}};
  return made;
}

std::vector<DeviceRecord> two_records() {
  EvaluatorInfo first;
  first.kind = "cpu";
  first.device_class = "this one";
  first.workloads = {"n=1", "n=2"};
  first.baselines = {"naive"};
  EvaluatorInfo second;
  second.kind = "cross";
  second.noisy = false;
  second.sheet.text = "Chip: toy\n";
  return {{"cpu", "/tasks/axpb", first, {0}}, {"riscv", "/tasks/riscv/axpb", second, {1}}};
}

TEST(DeviceRows, come_back_as_they_were) {
  TemporaryRun run;
  ASSERT_TRUE(run.store().describe_devices(two_records()));
  ASSERT_TRUE(run.store().describe_devices(two_records())) << "by the next session";
  ASSERT_TRUE(run.history().begin({}));
  const auto reader = RunReader::open(run.path());
  ASSERT_TRUE(reader) << reader.error().message;
  const auto devices = recorded_devices(**reader);
  ASSERT_TRUE(devices) << devices.error().message;
  ASSERT_THAT(*devices, SizeIs(2));
  EXPECT_EQ((*devices)[0].name, "cpu");
  EXPECT_EQ((*devices)[0].info.device_class, "this one");
  EXPECT_THAT((*devices)[0].info.workloads, ElementsAre("n=1", "n=2"));
  EXPECT_TRUE((*devices)[0].info.noisy);
  EXPECT_EQ((*devices)[1].task, "/tasks/riscv/axpb");
  EXPECT_THAT((*devices)[1].islands, ElementsAre(1));
  EXPECT_FALSE((*devices)[1].info.noisy);
  EXPECT_EQ((*devices)[0].info.sheet.text, "");
  EXPECT_EQ((*devices)[1].info.sheet.text, "Chip: toy\n");
}

TEST(DeviceRows, the_sheet_of_the_only_device_is_that_of_the_first_session) {
  TemporaryRun run;
  EvaluatorInfo info;
  info.sheet.text = "Processor: of clay\n";
  info.sheet.floors_ns = {{"n=8", 12.5}};
  ASSERT_TRUE(run.store().describe_evaluator(info));
  ASSERT_TRUE(run.history().begin({}));
  const auto told = [&] {
    const auto reader = RunReader::open(run.path());
    EXPECT_TRUE(reader) << reader.error().message;
    return (*recorded_evaluator(**reader))->sheet.text;
  };
  EXPECT_EQ(told(), "Processor: of clay\n");
  info.sheet.text = "Processor: of porcelain\n";
  ASSERT_TRUE(run.store().describe_evaluator(info));
  EXPECT_EQ(told(), "Processor: of clay\n");
}

TEST(DeviceRows, files_that_are_older_than_sheets_have_none) {
  TemporaryRun run;
  EvaluatorInfo info;
  info.sheet.text = "Processor: of clay\n";
  ASSERT_TRUE(run.store().describe_evaluator(info));
  ASSERT_TRUE(run.history().begin({}));
  run.close();
  SQLite::Database(run.path(), SQLite::OPEN_READWRITE).exec("DROP TABLE device_sheet");
  const auto reader = RunReader::open(run.path());
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ((*recorded_evaluator(**reader))->sheet.text, "");
}

TEST(DeviceRows, a_stop_keeps_the_champion_of_each_device) {
  TemporaryRun run;
  ASSERT_TRUE(run.history().begin({}));
  ASSERT_TRUE(run.history().commit(step_of(0, candidate({0, 0, 0}, 2, 0.5), "")));
  StopRecord stop{"budget", 1, 1, LogicalId{0, 0, 0}, {}};
  stop.device_champions = {LogicalId{0, 0, 0}, std::nullopt};
  const Digest with = stop.chained({});
  ASSERT_TRUE(run.history().finish(stop));
  const auto read = run.history().stop();
  ASSERT_TRUE(read && *read);
  EXPECT_EQ((*read)->device_champions, stop.device_champions);
  EXPECT_EQ((*read)->chained({}), with);
  stop.device_champions[1] = LogicalId{0, 0, 0};
  EXPECT_NE(stop.chained({}), with);
}

TEST(DeviceRows, transfers_say_what_a_kernel_was_worth_on_both_devices) {
  TemporaryRun run;
  ASSERT_TRUE(run.store().describe_devices(two_records()));
  ASSERT_TRUE(run.history().begin({}));
  ASSERT_TRUE(run.history().commit(step_of(0, candidate({0, 0, 0}, 2, 0.5), "improved")));
  ASSERT_TRUE(run.history().commit(step_of(1, migrant({0, 1, 0}, {0, 0, 0}, 3), "improved")));
  auto wrong = migrant({1, 1, 0}, {0, 0, 0}, 0);
  wrong->evaluation.verdict = Verdict::wrong_result;
  ASSERT_TRUE(run.history().commit(step_of(2, wrong, "")));
  const auto reader = RunReader::open(run.path());
  ASSERT_TRUE(reader) << reader.error().message;
  const auto rows = transfers(**reader);
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_THAT(*rows, SizeIs(2));
  EXPECT_EQ((*rows)[0].from + " to " + (*rows)[0].to, "cpu to riscv");
  EXPECT_TRUE((*rows)[0].ok);
  EXPECT_EQ((*rows)[0].from_objective, 2);
  EXPECT_EQ((*rows)[0].to_objective, 3);
  EXPECT_EQ((*rows)[0].entry, "improved");
  EXPECT_FALSE((*rows)[1].ok);
  EXPECT_EQ((*rows)[1].entry, "");
  const auto work = work_of_devices(**reader);
  ASSERT_TRUE(work && work->size() == 2);
  EXPECT_EQ((*work)[1].evaluations, 2);
  EXPECT_EQ((*work)[1].best, 3);
}

TEST(DeviceRows, a_run_with_one_device_has_none) {
  TemporaryRun run;
  ASSERT_TRUE(run.history().begin({}));
  const auto reader = RunReader::open(run.path());
  ASSERT_TRUE(reader);
  EXPECT_THAT(*recorded_devices(**reader), IsEmpty());
  EXPECT_THAT(*transfers(**reader), IsEmpty());
}

}  // namespace
}  // namespace ke::test

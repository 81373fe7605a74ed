// Problems and archives against values computed by tests/golden/make_numeric.py.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/json.hpp"
#include "core/numeric/numeric_archive.hpp"
#include "fitness/function/numeric_problems.hpp"

namespace ke {
namespace {

Json golden() {
  std::ifstream file(KE_SOURCE_DIR "/tests/golden/numeric.json");
  return Json::parse(file);
}

TEST(NumericGolden, problems_equal_their_formulas) {
  const Json cases = golden().at("problems");
  ASSERT_EQ(cases.size(), 12u);
  for (const Json& c : cases) {
    const std::vector<double> x = c.at("x");
    const auto problem = make_numeric_problem(c.at("problem"), x.size());
    double objective = 0;
    std::vector<double> measures(2);
    problem->evaluate({x, x.size()}, {&objective, 1}, measures);
    EXPECT_NEAR(objective, c.at("objective").get<double>(), 1e-11) << c.at("problem");
    EXPECT_NEAR(measures[0], c.at("measures")[0].get<double>(), 1e-12) << c.at("problem");
    EXPECT_NEAR(measures[1], c.at("measures")[1].get<double>(), 1e-12) << c.at("problem");
  }
}

std::vector<double> flat(const Json& rows) {
  std::vector<double> values;
  for (const Json& row : rows) {
    for (const Json& value : row) values.push_back(value);
  }
  return values;
}

std::shared_ptr<const Cells> cells_of(const Json& axes) {
  std::vector<EqualBins> bins;
  for (const Json& axis : axes) bins.push_back({axis[0], axis[1], axis[2]});
  return std::make_shared<GridCells>(bins);
}

void expect_batch(NumericArchive& archive, const Json& batch) {
  const auto solutions = flat(batch.at("solutions"));
  const auto measures = flat(batch.at("measures"));
  const std::vector<double> objectives = batch.at("objectives");
  std::vector<NumericAddition> additions(objectives.size());
  archive.offer({solutions, 1}, objectives, {measures, 2}, additions);
  for (std::size_t i = 0; i < additions.size(); ++i) {
    const Json& answer = batch.at("answers")[i];
    EXPECT_EQ(additions[i].cell, answer[0].get<std::uint32_t>());
    EXPECT_EQ(static_cast<int>(additions[i].status), answer[1].get<int>());
    EXPECT_DOUBLE_EQ(additions[i].gain, answer[2].get<double>());
  }
}

std::vector<std::vector<double>> elites_of(const NumericArchive& archive) {
  std::vector<std::vector<double>> elites;
  for (std::size_t slot = 0; slot < archive.filled(); ++slot) {
    elites.push_back({static_cast<double>(archive.cell(slot)), archive.objective(slot),
                      archive.solution(slot)[0]});
  }
  std::sort(elites.begin(), elites.end());
  return elites;
}

TEST(NumericGolden, batches_are_added_as_the_oracle_adds_them) {
  const Json archive_cases = golden().at("archive");
  ASSERT_EQ(archive_cases.at("cases").size(), 3u);
  for (const Json& c : archive_cases.at("cases")) {
    std::optional<SoftRule> soft;
    if (!c.at("soft").is_null()) soft = SoftRule{c.at("soft")[0], c.at("soft")[1]};
    NumericArchive archive(cells_of(archive_cases.at("axes")), 1, 2, soft);
    for (const Json& batch : c.at("batches")) expect_batch(archive, batch);
    EXPECT_EQ(elites_of(archive), c.at("elites").get<std::vector<std::vector<double>>>());
  }
}

TEST(NumericArchive, counts_measures_outside_their_axes) {
  NumericArchive archive(std::make_shared<GridCells>(std::vector<EqualBins>{{0, 1, 2}, {0, 1, 2}}),
                         1, 2);
  const std::vector<double> solutions = {1, 2, 3, 4};
  const std::vector<double> objectives = {1, 1, 1, 1};
  const std::vector<double> measures = {0.5, 0.5, -0.1, 0.5, 1.5, -2, 1, 0};
  std::vector<NumericAddition> additions(4);
  archive.offer({solutions, 1}, objectives, {measures, 2}, additions);
  EXPECT_EQ(archive.clipped(), 3);
  EXPECT_EQ(additions[1].clipped, 1u);
  EXPECT_EQ(additions[2].clipped, 2u);
  EXPECT_EQ(additions[3].clipped, 0u);
}

TEST(NumericArchive, rejects_what_is_not_finite) {
  NumericArchive archive(std::make_shared<GridCells>(std::vector<EqualBins>{{0, 1, 2}}), 1, 1);
  const std::vector<double> solutions = {1, 2};
  const std::vector<double> objectives = {std::nan(""), INFINITY};
  const std::vector<double> measures = {0.5, std::nan("")};
  std::vector<NumericAddition> additions(2);
  archive.offer({solutions, 1}, objectives, {measures, 1}, additions);
  EXPECT_EQ(archive.filled(), 0u);
  EXPECT_EQ(archive.clipped(), 1);
}

}  // namespace
}  // namespace ke

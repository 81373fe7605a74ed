// Each figure of a report equals a query on its run file.

#include <SQLiteCpp/SQLiteCpp.h>

#include <set>

#include "experiments/text/json.hpp"
#include "experiments/view/report/data/run_data.hpp"
#include "tests/experiments/shell.hpp"

namespace ke {
namespace {

class ReportData : public test::Shell {
 protected:
  void SetUp() override {
    Shell::SetUp();
    write("f.yaml",
          "device: {kind: function, function: rastrigin, dimensions: 5}\nseed: 3\n"
          "budget: {evaluations: 150}\n"
          "islands: {count: 3, lag: 0, topology: ring, migration: {every: 5, migrants: 2}}\n"
          "archive:\n  kind: grid\n"
          "  axes: [{measure: m0, bins: 4}, {measure: m1, bins: 5}]\n"
          "operators: {knob_step: 4, knob_crossover: 2, random_restart: 1}\n");
    ASSERT_EQ(call("run f.yaml -q -o runs"), 0) << output_;
    file_ = folder_ + "/runs/f.rastrigin.s3.kev";
    auto reader = RunReader::open(file_);
    ASSERT_TRUE(reader) << reader.error().message;
    auto data = run_data(*std::move(reader), true);
    ASSERT_TRUE(data) << data.error().message;
    data_ = *std::move(data);
    database_ = std::make_unique<SQLite::Database>(file_, SQLite::OPEN_READONLY);
  }

  /// Result rows of a query: integers, floats, texts and nulls as JSON.
  Json rows(const std::string& query) const {
    Json list = Json::array();
    SQLite::Statement statement(*database_, query);
    while (statement.executeStep()) {
      Json row = Json::array();
      for (int i = 0; i < statement.getColumnCount(); ++i) row.push_back(value(statement, i));
      list.push_back(row);
    }
    return list;
  }
  Json one(const std::string& query) const { return rows(query)[0][0]; }
  Json column(const std::string& query) const {
    Json list = Json::array();
    for (const Json& row : rows(query)) list.push_back(row[0]);
    return list;
  }
  /// Expands a column of names.
  static Json spelled(const Json& column) {
    Json list = Json::array();
    for (const Json& at : column["rows"]) list.push_back(column["names"][at.get<std::size_t>()]);
    return list;
  }

  std::string file_;
  Json data_;
  std::unique_ptr<SQLite::Database> database_;

 private:
  static Json value(SQLite::Statement& statement, int i) {
    const SQLite::Column column = statement.getColumn(i);
    if (column.isNull()) return nullptr;
    if (column.isInteger()) return column.getInt64();
    if (column.isFloat()) return column.getDouble();
    return column.getString();
  }
};

TEST_F(ReportData, summary) {
  const Json& s = data_["summary"];
  EXPECT_EQ(s["proposals"], one("SELECT count(*) FROM candidate"));
  EXPECT_EQ(s["evaluations"], one("SELECT count(*) FROM evaluation WHERE measured"));
  EXPECT_EQ(s["steps"], one("SELECT count(*) FROM step"));
  EXPECT_EQ(s["champion"]["id"], one("SELECT c.step || '.' || c.island || '.' || c.slot FROM stop "
                                     "JOIN candidate c ON c.id = stop.champion_id"));
  EXPECT_DOUBLE_EQ(s["common_qd_score"].get<double>(),
                   one("SELECT sum(objective) FROM v_archive WHERE island = -1").get<double>());
  EXPECT_DOUBLE_EQ(s["common_coverage"].get<double>(),
                   one("SELECT count(*) / 20.0 FROM v_archive WHERE island = -1").get<double>());
  EXPECT_EQ(data_["config"], one("SELECT config_text FROM run"));
  EXPECT_EQ(data_["evaluator"]["kind"], one("SELECT kind FROM evaluator"));
}

TEST_F(ReportData, candidates) {
  const Json& c = data_["candidates"];
  const std::string from =
      " FROM candidate c JOIN evaluation e ON e.candidate_id = c.id "
      "ORDER BY c.id";
  EXPECT_EQ(c["step"], column("SELECT c.step" + from));
  EXPECT_EQ(c["island"], column("SELECT c.island" + from));
  EXPECT_EQ(c["step_index"], column("SELECT c.step_idx" + from));
  EXPECT_EQ(spelled(c["operator"]), column("SELECT c.operator" + from));
  EXPECT_EQ(spelled(c["outcome"]), column("SELECT c.outcome" + from));
  EXPECT_EQ(spelled(c["verdict"]), column("SELECT e.verdict" + from));
  EXPECT_EQ(c["measured"], column("SELECT e.measured" + from));
  EXPECT_EQ(c["objective"], column("SELECT CASE WHEN e.verdict = 'ok' AND c.outcome <> 'no_child' "
                                   "THEN e.objective END" +
                                   from));
  EXPECT_EQ(c["duplicate_of"], column("SELECT coalesce(c.duplicate_of - 1, -1)" + from));
  EXPECT_EQ(c["measures"]["m0"],
            column("SELECT m.value FROM candidate c LEFT JOIN evaluation_measure m "
                   "ON m.candidate_id = c.id AND m.axis = 'm0' ORDER BY c.id"));
}

TEST_F(ReportData, parents_and_kernels) {
  const Json& p = data_["parents"];
  const std::string from = " FROM parent ORDER BY candidate_id, position";
  EXPECT_EQ(p["child"], column("SELECT candidate_id - 1" + from));
  EXPECT_EQ(p["parent"], column("SELECT parent_id - 1" + from));
  EXPECT_EQ(spelled(p["role"]), column("SELECT role" + from));
  EXPECT_EQ(data_["kernels"]["sources"], column("SELECT text FROM source ORDER BY id"));
  const auto at = data_["candidates"]["genome"][20].get<std::size_t>();
  for (const Json& row : rows("SELECT k.name, k.value FROM knob k JOIN candidate c "
                              "ON c.genome_id = k.genome_id WHERE c.id = 21")) {
    EXPECT_EQ(spelled(data_["kernels"]["knobs"][row[0].get<std::string>()])[at], row[1]);
  }
}

TEST_F(ReportData, progress_at_every_point) {
  const Json& p = data_["progress"];
  ASSERT_GT(p["step_index"].size(), 20U);
  for (std::size_t i = 0; i < p["step_index"].size(); i += 7) {
    const std::string step = std::to_string(p["step_index"][i].get<int>());
    const std::string upto =
        " FROM candidate c JOIN evaluation e ON e.candidate_id = c.id "
        "WHERE c.step_idx <= " +
        step;
    EXPECT_EQ(p["proposals"][i], one("SELECT count(*)" + upto));
    EXPECT_EQ(p["evaluations"][i], one("SELECT sum(e.measured)" + upto));
    EXPECT_EQ(p["best"][i], one("SELECT max(e.objective)" + upto + " AND e.verdict = 'ok'"));
    EXPECT_EQ(p["filled"][i], one("SELECT count(DISTINCT cell) FROM archive_event WHERE "
                                  "archive = 'passive' AND status = 'new_cell' AND step_idx <= " +
                                  step));
  }
  EXPECT_TRUE(p["tokens"].is_null());
  EXPECT_TRUE(p["dollars"].is_null());
}

TEST_F(ReportData, credit_of_operators) {
  const Json expected = rows(
      "WITH best AS (SELECT p.candidate_id AS id, max(e.objective) AS objective FROM parent p "
      "JOIN evaluation e ON e.candidate_id = p.parent_id "
      "WHERE p.role = 'parent' AND e.verdict = 'ok' GROUP BY p.candidate_id) "
      "SELECT c.operator, count(*), sum(c.outcome = 'no_child'), sum(c.outcome = 'duplicate'), "
      "sum(c.outcome = 'kernel' AND e.verdict = 'ok'), "
      "sum(c.outcome = 'kernel' AND best.id IS NOT NULL), "
      "sum(c.outcome = 'kernel' AND e.verdict = 'ok' AND "
      "    coalesce(e.objective > best.objective, 0)), "
      "(SELECT count(DISTINCT a.challenger_id) FROM archive_event a JOIN candidate d "
      " ON d.id = a.challenger_id WHERE a.archive = 'passive' AND d.operator = c.operator "
      " AND a.status IN ('new_cell', 'improved')) "
      "FROM candidate c JOIN evaluation e ON e.candidate_id = c.id LEFT JOIN best ON best.id = "
      "c.id "
      "GROUP BY c.operator ORDER BY c.operator");
  ASSERT_EQ(data_["credit"].size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Json& c = data_["credit"][i];
    EXPECT_EQ(Json({c["name"], c["proposals"], c["no_child"], c["duplicates"], c["ok"], c["tried"],
                    c["improved"], c["elites"]}),
              expected[i]);
  }
  EXPECT_TRUE(data_["model_credit"].empty());
}

TEST_F(ReportData, losses) {
  const auto& stages = data_["funnel"]["stages"];
  EXPECT_EQ(stages.front()["left"], one("SELECT count(*) FROM candidate"));
  EXPECT_EQ(stages.back()["left"],
            one("SELECT count(*) FROM candidate c JOIN evaluation e ON e.candidate_id = c.id "
                "WHERE c.outcome = 'kernel' AND e.verdict = 'ok'"));
  std::set<std::string> found, expected;
  for (const Json& r : data_["funnel"]["reasons"]) {
    found.insert(Json({r["verdict"], r["reason"], r["count"]}).dump());
  }
  for (const Json& row : rows("SELECT verdict, reason, candidates FROM v_failures")) {
    expected.insert(row.dump());
  }
  EXPECT_EQ(found, expected);
}

TEST_F(ReportData, archive_and_migrations) {
  EXPECT_EQ(data_["events"]["cell"].size(),
            one("SELECT count(*) FROM archive_event WHERE status IN ('new_cell', 'improved') "
                "OR decision <> 'none'"));
  const Json expected = rows(
      "SELECT m.from_island, m.to_island, count(*), count(a.step_idx), "
      "sum(a.step_idx IS NOT NULL AND EXISTS (SELECT 1 FROM v_archive v "
      "  WHERE v.island = m.to_island AND v.candidate_id = m.migrant_id)) "
      "FROM migration m LEFT JOIN archive_event a ON a.step_idx = m.step_idx "
      "AND a.challenger_id = m.migrant_id AND a.archive = 'island' "
      "AND a.status IN ('new_cell', 'improved') GROUP BY 1, 2 ORDER BY 1, 2");
  ASSERT_EQ(data_["migrations"].size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Json& m = data_["migrations"][i];
    EXPECT_EQ(Json({m["from"], m["to"], m["sent"], m["entered"], m["alive"]}), expected[i]);
  }
}

TEST_F(ReportData, jobs_and_costs) {
  EXPECT_EQ(data_["costs"][0]["jobs"],
            one("SELECT sum(jobs) FROM v_cost WHERE purpose = 'screen'"));
  EXPECT_TRUE(data_["noise"].is_null());  // a function is exact
}

TEST_F(ReportData, kernels_can_be_left_out) {
  auto reader = RunReader::open(file_);
  auto small = run_data(*std::move(reader), false);
  ASSERT_TRUE(small);
  EXPECT_FALSE(small->contains("candidates"));
  EXPECT_EQ((*small)["credit"], data_["credit"]);
}

}  // namespace
}  // namespace ke

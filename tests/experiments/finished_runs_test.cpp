// Operations on finished runs, and their reports.

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/json.hpp"
#include "experiments/page/page.hpp"
#include "tests/experiments/shell.hpp"

namespace ke {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* function =
    "device: {kind: function, function: rastrigin, dimensions: 6, failures: 0.1}\n"
    "budget: {evaluations: 40}\nislands: {count: 2, lag: 3}\n";

/// Four configurations that take 2, 4, 6 and 8 ms.
constexpr const char* landscape = R"({"metadata": {"timeunit": "milliseconds"},
  "schema_version": "1.0.0", "results": [
  {"configuration": {"a": 1}, "times": {"runtimes": [2]}, "invalidity": "correct",
   "objectives": ["time"], "measurements": [{"name": "time", "value": 2}]},
  {"configuration": {"a": 2}, "times": {"runtimes": [4]}, "invalidity": "correct",
   "objectives": ["time"], "measurements": [{"name": "time", "value": 4}]},
  {"configuration": {"a": 3}, "times": {"runtimes": [6]}, "invalidity": "correct",
   "objectives": ["time"], "measurements": [{"name": "time", "value": 6}]},
  {"configuration": {"a": 4}, "times": {"runtimes": [8]}, "invalidity": "correct",
   "objectives": ["time"], "measurements": [{"name": "time", "value": 8}]}]})";

class FinishedRun : public test::Shell {
 protected:
  void SetUp() override {
    write("f.yaml", function);
    ASSERT_EQ(call("run f.yaml -q -o runs"), 0) << output_;
  }
  Json status(const std::string& run) {
    EXPECT_EQ(call("status " + run + " --json"), 0) << output_;
    return Json::parse(output_)["runs"][0];
  }
  std::string champion(const std::string& run) { return status(run)["champion"]["id"]; }
};

// The oracle is a run with the larger budget from the start.
TEST_F(FinishedRun, a_larger_budget_goes_on_to_the_history_of_a_run_that_had_it_at_once) {
  ASSERT_EQ(call("run f.yaml -q -o whole budget.evaluations=120"), 0) << output_;
  ASSERT_EQ(call("resume runs -q budget.evaluations=120"), 0) << output_;
  const std::string extended = "runs/f.rastrigin.s1.extended.kev";
  EXPECT_EQ(status(extended)["history_hash"], status("whole")["history_hash"]);
  EXPECT_EQ(status(extended)["evaluations"], 120);
  EXPECT_EQ(status("runs/f.rastrigin.s1.kev")["evaluations"], 40);
  EXPECT_EQ(call("verify runs"), 0) << output_;
  EXPECT_EQ(call("resume runs -q budget.evaluations=120"), 0) << output_;
}

TEST_F(FinishedRun, overrides_that_do_not_extend_it_are_refused) {
  EXPECT_EQ(call("resume runs budget.evaluatons=80"), 2);
  EXPECT_THAT(output_, HasSubstr("did you mean 'evaluations'?"));
  EXPECT_EQ(call("resume runs budget.evaluations=20"), 2);
  EXPECT_THAT(output_, HasSubstr("only a larger budget than evaluations = 40"));
  EXPECT_EQ(call("resume runs budget.evaluations=80 strategy=random"), 2);
  EXPECT_THAT(output_, HasSubstr("with other values of 'budget', 'safety' and 'verify' alone"));
  EXPECT_EQ(call("resume runs"), 0);
  EXPECT_THAT(output_, HasSubstr("is done; a larger budget, such as budget.evaluations=N"));
}

TEST_F(FinishedRun, ends_with_what_to_do_next) {
  EXPECT_EQ(call("run f.yaml -q -o next"), 0);
  EXPECT_THAT(output_, HasSubstr("\nnext:\n  kernelevolve show next/f.rastrigin.s1.kev "));
  const bool has_page = !page_template().head.empty();
  EXPECT_EQ((output_.find("\n  kernelevolve report next -o report.html\n") != std::string::npos),
            has_page)
      << output_;
}

TEST_F(FinishedRun, of_a_function_shows_its_value_and_of_a_landscape_its_share_of_the_optimum) {
  for (const std::string verb : {"status", "show"}) {
    ASSERT_EQ(call(verb + " runs"), 0) << output_;
    EXPECT_THAT(output_, Not(HasSubstr("anchor"))) << output_;
  }
  EXPECT_EQ(status("runs")["champion"]["seen"]["against"], "");
  write("l.json", landscape);
  write("l.yaml",
        "device: {kind: landscape, files: [l.json]}\nbudget: {evaluations: 4}\n"
        "operators: {random_restart: 1}\n");
  ASSERT_EQ(call("run l.yaml -q -o whole_space"), 0) << output_;
  EXPECT_THAT(output_, HasSubstr("seen         1.000 of the optimum, during the search"));
  ASSERT_EQ(call("status whole_space"), 0);
  EXPECT_THAT(output_, HasSubstr("1.000 of the optimum"));
  ASSERT_EQ(call("run l.yaml device.reference=median -q -o median"), 0) << output_;
  EXPECT_THAT(output_, HasSubstr("3.000x median"));  // the upper one of 4 and 6 ms
}

TEST_F(FinishedRun, names_axes_that_nothing_falls_on) {
  EXPECT_EQ(call("run f.yaml -q -o clipped "
                 "'archive={axes: [{measure: m0, low: 50, high: 60, bins: 4}]}'"),
            0);
  EXPECT_THAT(output_,
              HasSubstr("kernels lie outside [50, 60] and count in its border bins; seen"));
  EXPECT_EQ(status("clipped")["warnings"].size(), 1u);
  EXPECT_EQ(status("runs")["warnings"].size(), 0u);
}

TEST_F(FinishedRun, counts_duplicates_apart_from_failures) {
  const Json counts = status("runs")["failures"];
  long failed = 0;
  for (const auto& [name, count] : counts.items()) {
    if (name != "duplicate" && name != "no_child") failed += count.get<long>();
  }
  ASSERT_EQ(call("show runs"), 0);
  const std::size_t at = output_.find("failures     ");
  const std::string line = output_.substr(at, output_.find('\n', at) - at);
  EXPECT_THAT(line, Not(HasSubstr("duplicate")));
  EXPECT_THAT(line, Not(HasSubstr("no_child")));
  EXPECT_THAT(line, HasSubstr(std::to_string(failed)));
}

TEST_F(FinishedRun, two_runs_of_one_file_are_refused_before_anything_runs) {
  EXPECT_EQ(call("run f.yaml -q -o twice 'seed=[1, 1]'"), 2);
  EXPECT_THAT(output_, HasSubstr("two runs would be one file"));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/twice"));
  EXPECT_EQ(call("check f.yaml 'seed=[1, 1]'"), 2);
}

class ForeignTask : public test::Shell {
 protected:
  void SetUp() override {
    const std::string shipped = KE_SOURCE_DIR "/configs/tasks/softmax";
    std::filesystem::create_directories(folder_ + "/tasks");
    std::filesystem::copy(shipped, folder_ + "/tasks/mine");
    ASSERT_EQ(call("!sed -i 's/^name: .*/name: mine/; s/@task softmax/@task mine/' tasks/mine/*"),
              0);
  }
  void append(const std::string& line) { call("!echo '" + line + "' >>tasks/mine/task.yaml"); }
};

TEST_F(ForeignTask, in_a_repository_of_its_own_includes_the_shipped_headers) {
  EXPECT_EQ(call("eval mine tasks/mine/vectorised.cpp --only compile"), 1);
  EXPECT_THAT(output_, HasSubstr("vector_math.hpp: No such file"));
  append("include: shipped");
  EXPECT_EQ(call("eval mine tasks/mine/vectorised.cpp --only compile"), 0) << output_;
}

TEST_F(ForeignTask, may_name_an_absolute_folder_of_headers) {
  append("include: " KE_SOURCE_DIR "/configs/tasks/include");
  EXPECT_EQ(call("eval mine tasks/mine/vectorised.cpp --only compile"), 0) << output_;
}

TEST_F(ForeignTask, with_a_kernel_of_another_task_is_refused) {
  ASSERT_EQ(call("!sed -i 's/@task mine/@task other/' tasks/mine/online.cpp"), 0);
  EXPECT_EQ(call("eval mine tasks/mine/naive.cpp --only compile"), 2);
  EXPECT_THAT(output_, HasSubstr("kernel 'online' says '@task other', but this is task 'mine'"));
}

}  // namespace
}  // namespace ke

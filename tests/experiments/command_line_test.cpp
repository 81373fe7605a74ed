// Runs the real binary like a shell: output, exit codes, files.

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/json.hpp"
#include "experiments/cli/verb.hpp"
#include "tests/experiments/shell.hpp"

namespace ke {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

const std::string program = KE_BINARY_DIR "/kernelevolve";

struct Answer {
  int code = -1;
  std::string out;  ///< standard output
  std::string err;
};

class CommandLine : public test::Shell {
 protected:
  void SetUp() override {
    if (!fs::exists(program)) GTEST_SKIP() << program << " is not built";
    write("f.yaml", "device: {kind: function, dimensions: 4}\nbudget: {evaluations: 60}\n");
  }
  std::string read(const std::string& name) const { return temporary_.read(name); }
  Answer call(const std::string& arguments) {
    Answer answer;
    answer.code = Shell::call(arguments + " 2> err.txt");
    answer.out = output_;
    answer.err = read("err.txt");
    return answer;
  }
};

TEST_F(CommandLine, help_names_every_verb_and_every_verb_has_help) {
  const Answer help = call("--help");
  EXPECT_EQ(help.code, 0);
  for (const Verb& verb : all_verbs()) {
    EXPECT_THAT(help.out, HasSubstr(verb.name));
    const Answer one = call(verb.name + " --help");
    EXPECT_EQ(one.code, 0) << verb.name;
    EXPECT_THAT(one.out, HasSubstr("kernelevolve " + verb.name));
    EXPECT_THAT(one.out, HasSubstr("--json"));
  }
}

TEST(Verbs, declare_options_with_docs_and_defaults_in_range) {
  for (const Verb& verb : all_verbs()) {
    EXPECT_THAT(verb.example, HasSubstr("kernelevolve " + verb.name + (verb.most > 0 ? " " : "")));
    for (const VerbOption& option : verb.options) {
      EXPECT_FALSE(option.doc.empty()) << verb.name << " --" << option.name;
      if (option.bounds) {
        EXPECT_GE(std::stoll(option.fallback), option.bounds->low) << verb.name;
        EXPECT_LE(std::stoll(option.fallback), option.bounds->high) << verb.name;
      }
      if (!option.choices.empty()) {
        EXPECT_THAT(option.choices, testing::Contains(option.fallback));
      }
    }
    for (const int code : verb.exit_codes) {
      const auto known = exit_codes_of(verb);
      const auto is_code = [&](const ExitCode& one) { return one.code == code; };
      EXPECT_EQ(std::ranges::count_if(known, is_code), 1) << verb.name << ": " << code;
    }
  }
}

TEST_F(CommandLine, values_of_options_are_checked_against_what_help_says) {
  for (const char* words : {"watch . --port 65536", "watch . --port many"}) {
    const Answer answer = call(words);
    EXPECT_EQ(answer.code, 2);
    EXPECT_THAT(answer.err, HasSubstr("is not an integer in [0, 65535]"));
  }
  EXPECT_THAT(call("watch --help").out, HasSubstr("[0, 65535] (default: "));
  EXPECT_THAT(
      call("export . --format t5").err,
      HasSubstr(
          "export: --format = t5 is not one of conversations | csv | jsonl | lessons | mlflow | "
          "t4"));
}

TEST_F(CommandLine, misspelt_verbs_and_options_get_a_suggestion_and_code_2) {
  const Answer verb = call("rnu f.yaml");
  EXPECT_EQ(verb.code, 2);
  EXPECT_THAT(verb.err, HasSubstr("did you mean 'run'?"));
  const Answer option = call("list --jsn");
  EXPECT_EQ(option.code, 2);
  EXPECT_THAT(option.err, HasSubstr("did you mean '--json'?"));
  EXPECT_EQ(call("").code, 2);
  EXPECT_EQ(call("run").code, 2);
  EXPECT_EQ(call("status").code, 2);
}

TEST_F(CommandLine, run_makes_a_file_that_status_show_and_verify_read) {
  const Answer run = call("run f.yaml seed=[1,2] -o runs --json");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(Json::parse(run.out)["runs"].size(), 2u);
  const Json first = Json::parse(call("status runs/f.sphere.s1.kev --json").out)["runs"][0];
  EXPECT_EQ(first["evaluations"], 60);
  EXPECT_EQ(first["state"], "done");
  EXPECT_GT(first["coverage"].get<double>(), 0);
  for (const char* key : {"run_id", "config_id", "task", "proposals", "evaluations_per_s",
                          "lane_busy", "qd_score", "failures", "history_hash", "champion"}) {
    EXPECT_TRUE(first.contains(key)) << key;
  }
  const Json verified = Json::parse(call("verify runs/f.sphere.s1.kev --json").out);
  EXPECT_EQ(verified["ok"], true);
  EXPECT_EQ(verified["history_hash"], first["history_hash"]);
  EXPECT_EQ(verified["record_hash"].get<std::string>().size(), 64u);
  EXPECT_TRUE(verified["problems"].empty());
  EXPECT_THAT(call("show runs").out, HasSubstr("champion"));
}

TEST_F(CommandLine, a_file_of_an_older_version_does_not_close_its_folder) {
  ASSERT_EQ(call("run f.yaml -q -o runs").code, 0);
  fs::copy(folder_ + "/runs/f.sphere.s1.kev", folder_ + "/runs/old.kev");
  SQLite::Database(folder_ + "/runs/old.kev", SQLite::OPEN_READWRITE)
      .exec("PRAGMA journal_mode = WAL; PRAGMA user_version = 1");
  for (const char* verb : {"status", "show", "status --json"}) {
    const Answer answer = call(std::string(verb) + " runs");
    EXPECT_EQ(answer.code, 7) << verb;
    EXPECT_THAT(answer.out, HasSubstr("f.sphere.s1")) << verb;
    EXPECT_THAT(answer.err, HasSubstr("runs/old.kev: was written by an older version (schema 1"));
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ + "/runs"), {}), 3);  // with its index
}

TEST_F(CommandLine, coverage_and_cells_are_those_of_the_archive_that_the_search_used) {
  write("cvt.yaml", read("f.yaml") +
                        "archive: {kind: cvt, cells: 500, axes: [{measure: m0, bins: 2}, {measure: "
                        "m1, bins: 2}]}\n");
  const Answer checked = call("check cvt.yaml");
  EXPECT_THAT(checked.out, HasSubstr("500 cells"));
  EXPECT_THAT(checked.out, HasSubstr("60 evaluations for 500 cells are fewer than 5 a cell"));
  ASSERT_EQ(call("run cvt.yaml seed=1 -q -o cvt").code, 0);
  SQLite::Database file(folder_ + "/cvt/cvt.sphere.s1.kev", SQLite::OPEN_READONLY);
  const auto filled = [&](const std::string& archive) {
    return file
        .execAndGet("SELECT count(DISTINCT cell) FROM v_archive WHERE archive = '" + archive + "'")
        .getDouble();
  };
  const Json run = Json::parse(call("status cvt --json").out)["runs"][0];
  EXPECT_DOUBLE_EQ(run["coverage"].get<double>(), filled("island") / 500);
  EXPECT_DOUBLE_EQ(run["common_coverage"].get<double>(), filled("passive") / 4);
}

TEST_F(CommandLine, a_measure_that_a_landscape_records_is_no_unknown_word) {
  write("l.json", R"({"results": [
    {"configuration": {"a": 1}, "objectives": ["time"], "times": {},
     "invalidity": "correct", "measurements": [
      {"name": "time", "value": 2.0}, {"name": "intensity", "value": 0.25}]},
    {"configuration": {"a": 2}, "objectives": ["time"], "times": {},
     "invalidity": "correct", "measurements": [
      {"name": "time", "value": 3.0}, {"name": "intensity", "value": 8}]}]})");
  write("l.yaml", "task: l.json\ndevice: {kind: landscape}\nbudget: {evaluations: 2}\n");
  EXPECT_THAT(call("check l.yaml \"archive={axes: [{measure: intensity}]}\"").err,
              HasSubstr("= intensity is recorded, from 0.25 to 8; to make it an axis, set "
                        "device.descriptors: [{name: intensity, low: .., high: ..}]"));
  EXPECT_THAT(call("check l.yaml \"archive={axes: [{measure: halves}]}\"").err,
              HasSubstr("= halves is not measured here (known: first_half, second_half; recorded, "
                        "for device.descriptors: intensity)"));
}

TEST_F(CommandLine, a_run_is_never_overwritten) {
  ASSERT_EQ(call("run f.yaml -q -o runs").code, 0);
  const Answer again = call("run f.yaml -q -o runs");
  EXPECT_EQ(again.code, 2);
  EXPECT_THAT(again.err, HasSubstr("kernelevolve resume runs"));
}

TEST_F(CommandLine, history_does_not_depend_on_lanes_kills_or_resumes) {
  ASSERT_EQ(call("run f.yaml -q -o one device.delay_us=2000").code, 0);
  ASSERT_EQ(call("run f.yaml -q -o eight device.delay_us=2000 device.lanes=8").code, 0);
  call("run f.yaml -q -o killed device.delay_us=8000 & sleep 0.3; kill -9 $!");
  call("run f.yaml -q -o stopped device.delay_us=8000 & sleep 0.3; kill -INT $!; wait $!");
  ASSERT_EQ(call("resume killed -q device.lanes=2").code, 0);
  ASSERT_EQ(call("resume stopped -q").code, 0);
  const auto hash = [&](const std::string& name) {
    return Json::parse(call("verify " + name + " --json").out)["history_hash"].get<std::string>();
  };
  const std::string expected = hash("one");
  EXPECT_EQ(hash("eight"), expected);
  EXPECT_EQ(hash("killed"), expected);
  EXPECT_EQ(hash("stopped"), expected);
}

TEST_F(CommandLine, resume_refuses_another_configuration) {
  call("run f.yaml -q -o runs device.delay_us=20000 & sleep 0.3; kill -9 $!");
  const Answer answer = call("resume runs islands.count=5");
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("keeps its configuration"));
  EXPECT_THAT(call("resume runs seed=7").err, HasSubstr("keeps its task sphere and seed 1"));
  ASSERT_EQ(call("resume runs -q").code, 0);
  const Answer longer = call("resume runs budget.evaluations=100000 seed=7");
  EXPECT_EQ(longer.code, 2);
  EXPECT_THAT(longer.err, HasSubstr("seed 1; with others it is a new run"));
}

TEST_F(CommandLine, a_file_without_a_run_does_not_hide_those_beside_it) {
  ASSERT_EQ(call("run f.yaml -q -o runs").code, 0);
  write("runs/f.sphere.s9.kev", "");
  for (const std::string verb : {"show", "status"}) {
    const Answer answer = call(verb + " runs --json");
    EXPECT_EQ(answer.code, 0) << answer.err;
    EXPECT_EQ(Json::parse(answer.out).at("runs").size(), 1u);
    EXPECT_THAT(answer.err, HasSubstr("f.sphere.s9.kev: holds no run yet"));
  }
}

// Wherever a process dies while it creates its run files, repeating the command creates them.
TEST_F(CommandLine, runs_that_were_never_begun_are_begun_anew) {
  fs::create_directory(folder_ + "/empty");
  write("empty/f.sphere.s1.kev", "");
  EXPECT_THAT(call("resume empty").err, HasSubstr("'kernelevolve run' begins it anew"));
  EXPECT_EQ(call("run f.yaml -q -o empty").code, 0);
  EXPECT_EQ(call("verify empty").code, 0);
  EXPECT_EQ(call("run f.yaml -q -o empty").code, 2) << "what has steps is never overwritten";
  fs::remove(folder_ + "/empty/index.json");
  EXPECT_EQ(call("run f.yaml -q -o empty").code, 2);
}

TEST_F(CommandLine, a_safety_limit_ends_with_code_3) {
  EXPECT_EQ(call("run f.yaml -q -o runs device.delay_us=20000 safety.wall=200ms").code, 3);
}

TEST_F(CommandLine, bad_configurations_are_named_with_their_place) {
  write("bad.yaml", "task: softmax\nislands: {count: 0}\nbudjet: {evaluations: 1}\n");
  const Answer bad = call("run bad.yaml");
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr("bad.yaml:2:18: 'islands.count' = 0 is outside [1, 1024]"));
  EXPECT_THAT(bad.err, HasSubstr("bad.yaml:3:1: unknown key 'budjet'; did you mean 'budget'?"));
  EXPECT_THAT(call("run nowhere.yaml").err, HasSubstr("nowhere.yaml: no such file"));
  EXPECT_THAT(call("run f.yaml device=cpu task=sofmax").err, HasSubstr("did you mean 'softmax'?"));
  EXPECT_THAT(call("run f.yaml archive.axes=[{measure: m7}]").err, HasSubstr("m7"));
}

TEST_F(CommandLine, foreign_and_damaged_files_are_store_failures) {
  write("text.kev", "this is no database, it only has the name of a run file.............");
  const Answer answer = call("status text.kev");
  EXPECT_EQ(answer.code, 7);
  EXPECT_THAT(answer.err, HasSubstr("text.kev"));
  EXPECT_EQ(call("status nothing.kev").code, 2);
  const Answer folder = call("run f.yaml -o f.yaml/inside");
  EXPECT_EQ(folder.code, 7);
  EXPECT_THAT(folder.err, HasSubstr("cannot be created"));
}

TEST_F(CommandLine, candidates_can_be_followed_compared_and_exported) {
  ASSERT_EQ(call("run f.yaml -q -o runs").code, 0);
  const Json line = Json::parse(call("lineage runs --json").out);
  EXPECT_EQ(line["lineage"].back()["id"], line["id"]);
  const Json diff = Json::parse(call("diff runs --json").out);
  EXPECT_EQ(diff["equal"], false);
  EXPECT_THAT(diff["diff"].get<std::string>(), HasSubstr("+// knob x000 = "));
  const Answer csv = call("export runs");
  EXPECT_EQ(csv.code, 0);
  const Json counters = Json::parse(call("status runs --json").out)["runs"][0];
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'),
            counters["proposals"].get<long>() + 1);
  ASSERT_EQ(call("export runs --kernel champion").code, 0);
  EXPECT_THAT(read("champion/kernel.cpp"), HasSubstr("@knob x000"));
  EXPECT_THAT(read("champion/build.sh"), HasSubstr("-Dx000="));
  const Answer missing = call("show runs --candidate 9999.0.0");
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err, HasSubstr("no candidate '9999.0.0'"));
}

TEST_F(CommandLine, list_json_has_every_option_with_type_default_and_doc) {
  const Json all = Json::parse(call("list --json").out);
  ASSERT_GT(all["options"].size(), 40u);
  for (const Json& option : all["options"]) {
    EXPECT_NE(option["type"], "") << option;
    EXPECT_NE(option["doc"], "") << option;
    EXPECT_TRUE(option.contains("default") && option.contains("range")) << option;
  }
  for (const char* topic :
       {"tasks", "operators", "strategies", "topologies", "archives", "evaluators"}) {
    EXPECT_FALSE(all[topic].empty()) << topic;
  }
}

TEST_F(CommandLine, list_json_names_types_and_ranges_that_exist) {
  const Json all = Json::parse(call("list --json").out);
  const std::set<std::string> types = {"integer", "real",     "bool", "text",
                                       "choice",  "duration", "list"};
  std::set<std::string> names;
  for (const Json& option : all["options"]) {
    EXPECT_TRUE(types.contains(option["type"])) << option;
    EXPECT_TRUE(names.insert(option["name"]).second) << option;
    const bool number = option["type"] == "integer" || option["type"] == "real";
    if (number || option["type"] == "choice") {
      EXPECT_NE(option["range"], "") << option;
    }
  }
  for (const char* name :
       {"device.sandbox", "device.compiler", "islands.count", "budget.evaluations"})
    EXPECT_TRUE(names.contains(name)) << name;
}

/// A task with one input and one output; the naive kernel and the reference compute `body`.
std::string small_task(const std::string& classes, const std::string& tolerance) {
  return "schema: kernelevolve-task/1\nname: small\naxes: {n: var}\nsignature: [in, out, n]\n"
         "inputs: {in: {shape: [n], dtype: float32, classes: " +
         classes +
         "}}\n"
         "outputs: {out: {shape: [n], dtype: float32}}\nnonfinite: propagate\n"
         "tolerance: " +
         tolerance +
         "\ncost: {bytes: \"8*n\", flops: \"n\"}\n"
         "reference: reference.cpp\nkernels: {naive: naive.cpp, anchor: naive.cpp}\n"
         "workloads: [{n: 64, role: test}, {n: 4096, role: bench}, {n: 100, role: validation},"
         " {n: 33, role: holdout}, {n: 1000, role: holdout}, {n: 3000, role: holdout}]\n";
}

std::string loop(const std::string& name, const std::string& type, const std::string& value) {
  return "#include <cstddef>\nextern \"C\" void " + name + "(const " +
         (name == "kernel" ? "float" : type) + "* in, " + type + "* out, std::size_t n) {\n" +
         "  for (std::size_t i = 0; i < n; ++i) out[i] = " + value + ";\n}\n";
}

TEST_F(CommandLine, bad_tasks_are_not_admitted_and_the_reason_is_given) {
  const auto check = [&](const std::string& tolerance, const std::string& oracle,
                         const std::string& naive) {
    fs::create_directory(folder_ + "/small");
    write("small/task.yaml", small_task("[normal, positive, nan_inf]", tolerance));
    write("small/reference.cpp", loop("reference", "double", oracle));
    write("small/naive.cpp", loop("kernel", "float", naive));
    return call("check ./small --json");
  };
  const std::string usual = "{relative: 1.0e-5, relative_l2: 1.0e-5}";
  const Answer good = check(usual, "3 * in[i]", "3 * in[i]");
  ASSERT_EQ(good.code, 0) << good.err << good.out;
  EXPECT_LE(Json::parse(good.out)["naive_margin"].get<double>(), 0.25);

  // Only a NaN distinguishes zeros from this body.
  const Answer loose = check(usual, "in[i] == in[i] ? 0 : in[i]", "in[i] == in[i] ? 0 : in[i]");
  EXPECT_EQ(loose.code, 1) << loose.err;
  EXPECT_THAT(loose.out, HasSubstr("the trivial kernel 'zeros' passes"));

  const Answer tight =
      check("{relative: 1.5e-6, relative_l2: 1.5e-6}", "in[i] * 1.000001", "in[i]");
  EXPECT_EQ(tight.code, 1) << tight.err;
  EXPECT_THAT(tight.out, HasSubstr("below four times the naive kernel's error"));

  const Answer wrong = check(usual, "3 * in[i]", "2 * in[i]");
  EXPECT_EQ(wrong.code, 1) << wrong.err;
  EXPECT_THAT(wrong.out, HasSubstr("kernel 'naive' does not pass: wrong_result"));

  std::string text = read("small/task.yaml");
  text.replace(text.find("{n: 64, role: test}, "), 21, "");
  write("small/task.yaml", text);
  const Answer roles = call("check ./small");
  EXPECT_EQ(roles.code, 2);
  EXPECT_THAT(roles.err, HasSubstr("has 0 of role test, at least 1 needed"));
}

TEST_F(CommandLine, one_kernel_is_judged_on_the_device_of_its_language_with_other_options) {
  const std::string tasks = KE_SOURCE_DIR "/configs/tasks/";
  for (const std::string task : {"recsys/rmsnorm", "opencl/softmax"}) {
    const std::string ending = task.starts_with("recsys") ? ".cu " : ".cl ";
    const std::string words = "eval " + tasks + task + " " + tasks + task + "/naive" + ending;
    EXPECT_THAT(call(words + "device.cache=tepid").err, HasSubstr("'device.cache' = tepid is not"));
    EXPECT_THAT(call(words + "device.gpu=1").err, HasSubstr("unknown key 'device.gpu'"));
  }
}

TEST_F(CommandLine, an_exported_kernel_builds_to_a_library_that_exports_kernel_alone) {
  write("cpu.yaml",
        "task: conformance/axpb\nbudget: {evaluations: 1}\nverify: {cells: 0}\n"
        "device: {kind: cpu, verify_time: 100ms, verify_clusters: 2}\n");
  const Answer run = call("run cpu.yaml -q -o cpu");
  ASSERT_EQ(run.code, 0) << run.err;
  ASSERT_EQ(call("export cpu --kernel 0.0.0 -o out").code, 0);
  ASSERT_EQ(std::system(("sh " + folder_ + "/out/build.sh").c_str()), 0);
  const std::string list =
      "nm -D --defined-only " + folder_ + "/out/kernel.so > " + folder_ + "/nm";
  ASSERT_EQ(std::system(list.c_str()), 0);
  const std::string symbols = read("nm");
  EXPECT_EQ(std::count(symbols.begin(), symbols.end(), '\n'), 1) << symbols;
  EXPECT_THAT(symbols, HasSubstr(" T kernel\n"));
  const std::string script = read("out/build.sh");
  for (const char* flag : {"-std=gnu++20 -O2", "-falign-loops=64", "'-O3'", "'-DWIDTH=8'"})
    EXPECT_THAT(script, HasSubstr(flag));
}

TEST_F(CommandLine, the_shipped_experiments_pass_check) {
  for (const char* config : {"quickstart.yaml", "ablations/random_search.yaml"}) {
    const Answer answer = call(std::string("check --json " KE_SOURCE_DIR "/configs/") + config);
    ASSERT_EQ(answer.code, 0) << answer.err;
    EXPECT_EQ(Json::parse(answer.out)["ok"], true);
  }
}

}  // namespace
}  // namespace ke

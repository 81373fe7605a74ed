#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <sstream>

#include "core/text.hpp"
#include "experiments/cli/optimise/state.hpp"
#include "experiments/cli/optimise/summary.hpp"
#include "experiments/cli/verb.hpp"
#include "experiments/dispatch/library_folder.hpp"
#include "experiments/run/assemble.hpp"
#include "experiments/run/config/document.hpp"
#include "experiments/run/failure_text.hpp"
#include "experiments/run/places.hpp"
#include "experiments/run/progress.hpp"
#include "experiments/run/run_files.hpp"
#include "experiments/text/json.hpp"
#include "experiments/text/shell_word.hpp"
#include "experiments/view/report/candidates.hpp"

namespace ke::verbs {
namespace {

namespace fs = std::filesystem;

/// The experiment file of the shipped settings for modules.
Result<std::string> settings_file(const std::string& device) {
  const std::string name = device == "cuda" ? "/module-gpu.yaml" : "/module.yaml";
  for (const std::string& folder : config_folders()) {
    if (fs::exists(folder + name)) return folder + name;
  }
  return Error{Failure::config, "this installation lacks configs" + name};
}

Result<Experiment> settings(const std::string& config, const std::vector<std::string>& overrides,
                            const std::string& task) {
  std::vector<std::string> all = overrides;
  if (!task.empty()) all.push_back("task=" + task);
  KE_TRY(Node document, load_document(config, all));
  return read_experiment(std::move(document), fs::path(config).stem().string());
}

std::string scalar(const Experiment& experiment, const char* key) {
  const Node* llm = experiment.document.find("llm");
  const Node* value = llm == nullptr ? nullptr : llm->find(key);
  return value == nullptr ? "" : value->scalar;
}

/// Says what to set where nobody would answer the search's questions.
Result<void> somebody_answers(const Experiment& experiment, const Console& console) {
  const std::string variable = scalar(experiment, "key_variable");
  if (scalar(experiment, "kind") != "http" || variable.empty()) return {};
  if (console.variable && console.variable(variable)) return {};
  return Error{
      Failure::usage,
      fmt::format(
          "a language model writes the kernels, and {} is not set. One of these, as words of the "
          "same command:\n"
          "  {}=KEY in the environment: asks {} at {}; llm.model, llm.base_url and llm.dialect "
          "name another, llm.price=free one of your own\n"
          "  'llm={{kind: mailbox, folder: letters}}': writes letters into a folder and ends; "
          "whoever answers puts KEY.reply.txt beside KEY.request.json, and the same command goes "
          "on\n"
          "  'llm={{kind: command, program: [PROGRAM]}}': asks a program of yours, as [cat, "
          "answer.md] gives a recorded answer\n"
          "  'llm={{kind: cassette, file: FILE.jsonl}}': takes recorded exchanges",
          variable, variable, scalar(experiment, "model"), scalar(experiment, "base_url"))};
}

/// The largest cost of all steps, from the limits.
std::string price_text(const Experiment& experiment, bool model) {
  const Limits& limits = experiment.limits;
  const std::int64_t most = limits.asks > 0 ? limits.asks : limits.proposals;
  std::string text = most > 0 ? fmt::format("0 to {} answers", most) : "answers without a limit";
  const LlmLimits& llm = experiment.llm_limits;
  if (scalar(experiment, "kind") != "http") {
    text += fmt::format(" by {}", scalar(experiment, "kind"));
  } else if (llm.dollars > 0) {
    text += fmt::format(", at most {:.2f} dollars and what answers under way cost", llm.dollars);
  } else {
    text += ", no limit in dollars (llm.budget.dollars sets one)";
  }
  if (llm.tokens > 0) text += fmt::format(", {} tokens", llm.tokens);
  const std::int64_t wall_s = experiment.safety_wall_ms / 1000;
  text += wall_s > 0 ? fmt::format(", at most {} of search (safety.wall)", clock_text(wall_s))
                     : ", no limit of time (safety.wall sets one)";
  if (model) text += ", for each need";
  return text + "; the other steps mostly take 1 to 10 minutes" + (model ? " a need" : "");
}

/// A module or model on its way to a package.
class Optimising {
 public:
  Optimising(const Arguments& arguments, Console& console)
      : arguments_(arguments), console_(console), folder_(arguments.text("out")) {}

  Result<int> run() {
    KE_TRY_VOID(prepare());
    KE_TRY(const Experiment experiment, settings(config_, state_.overrides, ""));
    if (experiment.seeds.size() > 1) {
      return Error{Failure::usage, "optimise: one seed; 'run' and 'dispatch' take several"};
    }
    if (!is_searched()) {
      KE_TRY_VOID(somebody_answers(experiment, console_));
      say("price: " + price_text(experiment, state_.model));
    }
    KE_TRY_VOID(state_.save(folder_));
    KE_TRY_VOID(make_tasks());
    for (const std::string& task : state_.tasks) {
      KE_TRY(const int code, search(task));
      if (code != exit_code::done) return code;
    }
    for (const std::string& task : state_.tasks) KE_TRY_VOID(dispatch(task));
    KE_TRY(OptimiseSummary summary, summarise());
    KE_TRY_VOID(deploy(summary));
    write_either(console_.out, arguments_.has("json"), json_of(summary), text_of(summary));
    return summary.package.empty() ? exit_code::negative : exit_code::done;
  }

 private:
  void say(const std::string& text) { console_.err << "optimise: " << text << std::endl; }

  Result<void> prepare() {
    if (folder_.empty()) return Error{Failure::usage, "optimise: needs --out FOLDER"};
    const auto& words = arguments_.positionals();
    state_.file = words.front();
    if (!fs::is_regular_file(state_.file)) {
      return Error{Failure::usage, state_.file + ": no such file with a module"};
    }
    KE_TRY(const Digest content, hash_of_file(state_.file));
    state_.content = content.hex();
    state_.device = arguments_.text("device");
    state_.model = arguments_.has("model");
    state_.overrides.assign(words.begin() + 1, words.end());
    KE_TRY_VOID(state_.load(folder_));
    KE_TRY(config_, settings_file(state_.device));
    return {};
  }

  /// Whether no answer of a model is wanted any more.
  bool is_searched() const {
    return !state_.tasks.empty() && std::ranges::all_of(state_.tasks, [this](const auto& task) {
      return state_.refused.contains(task) || state_.done.contains("search " + task);
    });
  }

  std::string task_folder(const std::string& task) const {
    return folder_ + (state_.model ? "/needs/tasks/" : "/tasks/") + task;
  }
  std::string library_folder(const std::string& task) const {
    return folder_ + "/libraries/" + task;
  }
  std::string package_folder() const {
    std::string name = "fast_" + fs::path(state_.file).stem().string();
    std::ranges::replace_if(name, std::not_fn(may_stand_in_identifier), '_');
    return folder_ + "/" + name;
  }

  /// Prints the command line of a verb, runs it in this process and collects what it writes.
  Result<int> call(const std::vector<std::string>& words, std::string& output) {
    std::string line = "kernelevolve";
    for (const std::string& word : words) line += " " + shell_word(word);
    say(line);
    std::ostringstream out;
    Console captured{out, console_.err, console_.terminal, console_.cache_folder,
                     console_.variable};
    KE_TRY(const int code, call_verb(words, captured));
    output = out.str();
    return code;
  }

  /// Carries out one step unless it is done. `work` returns a Result<int>, an exit code.
  template <typename Work>
  Result<int> step(const std::string& kind, const std::string& task, Work&& work) {
    const std::string name = task.empty() ? kind : kind + " " + task;
    if (state_.done.contains(name)) return exit_code::done;
    const auto begin = std::chrono::steady_clock::now();
    KE_TRY(const int code, work());
    state_.seconds[kind] +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (code == exit_code::done) state_.done.insert(name);
    KE_TRY_VOID(state_.save(folder_));
    return code;
  }

  Result<void> make_tasks() {
    KE_TRY(const int made, step(state_.model ? "needs" : "import", "",
                                [this] { return state_.model ? find_needs() : import_module(); }));
    if (made != exit_code::done || state_.tasks.empty()) {
      return Error{Failure::usage, fmt::format("{}: no task could be made of it", state_.file)};
    }
    return {};
  }

  Result<int> import_module() {
    std::string output;
    const std::string language = state_.device == "cuda" ? "cuda" : "cpp";
    KE_TRY(const int code, call({"import", "module", state_.file, "-l", language, "-o",
                                 folder_ + "/tasks", "--json"},
                                output));
    const Json answer = parse_json(output);
    if (!answer.is_object()) return code;  // the importer could not start, and said why
    state_.tasks.clear();
    for (const Json& row : answer.at("problems")) {
      if (row.at("result") == "imported") {
        state_.tasks.push_back(row.at("problem").get<std::string>());
      } else {
        return Error{Failure::usage,
                     fmt::format("{}: {}", state_.file, row.at("reason").get<std::string>())};
      }
    }
    return code;
  }

  Result<int> find_needs() {
    std::string output;
    KE_TRY(const int code, call({"needs", state_.file, "-o", folder_ + "/needs", "--device",
                                 state_.device, "--top", arguments_.text("top"), "--json"},
                                output));
    if (code != exit_code::done) return code;
    const Json answer = parse_json(output);
    state_.tasks.clear();
    for (const Json& need : answer.at("needs")) {
      const std::string name = need.at("name");
      if (need.at("task").is_null()) continue;
      state_.tasks.push_back(name);
    }
    return code;
  }

  /// Starts the search, or goes on with it. Exit code 0 also where it ended without a kernel.
  Result<int> search(const std::string& task) {
    if (state_.refused.contains(task)) return exit_code::done;
    return step("search", task, [&]() -> Result<int> {
      KE_TRY(const std::string file, run_file(task));
      std::string output;
      std::vector<std::string> words = {"run", config_, "task=" + task_folder(task)};
      words.insert(words.end(), state_.overrides.begin(), state_.overrides.end());
      words.insert(words.end(), {"-o", folder_ + "/runs"});
      if (fs::exists(file) && !remove_unfinished(file)) words = {"resume", file};
      words.insert(words.end(), {"--until-waiting", "--json"});
      if (arguments_.has("quiet")) words.emplace_back("-q");
      KE_TRY(const int code, call(words, output));
      return ended(task, file, code);
    });
  }

  Result<std::string> run_file(const std::string& task) {
    KE_TRY(const Experiment experiment, settings(config_, state_.overrides, task_folder(task)));
    return folder_ + "/runs/" + run_file_name(experiment.name, task, experiment.seeds.front());
  }

  /// Reads the result of a search: a champion, or the reason why there is none.
  Result<int> ended(const std::string& task, const std::string& file, int code) {
    const bool over =
        code == exit_code::done || code == exit_code::safety || code == exit_code::nothing_judged;
    if (code == exit_code::waiting) say("the same command goes on when the letters are answered");
    if (!over) return code;
    KE_TRY(const auto reader, RunReader::open(file));
    KE_TRY(const auto stop, reader->stop());
    if (stop && stop->champion) return exit_code::done;
    KE_TRY(const RunCounters counters, reader->counters());
    state_.refused[task] = counters.judged == 0 ? nothing_judged_text(counters)
                                                : "no kernel was right: " + reasons_text(counters);
    return exit_code::done;
  }

  Result<void> dispatch(const std::string& task) {
    if (state_.refused.contains(task)) return {};
    KE_TRY(const std::string file, run_file(task));
    std::string output;
    KE_TRY(const int code, step("dispatch", task, [&] {
             return call({"dispatch", file, "-o", library_folder(task), "--json"}, output);
           }));
    KE_CHECK(code == exit_code::done);
    return {};
  }

  Result<OptimiseSummary> summarise() {
    OptimiseSummary summary;
    for (const std::string& task : state_.tasks) {
      OptimisedTask one{task, "", {}};
      if (const auto refused = state_.refused.find(task); refused != state_.refused.end()) {
        one.reason = refused->second;
      } else {
        KE_TRY(one.plan, read_plan(library_folder(task)));
      }
      summary.tasks.push_back(std::move(one));
      KE_TRY(const std::string file, run_file(task));
      if (!fs::exists(file)) continue;
      KE_TRY(const auto reader, RunReader::open(file));
      KE_TRY(const RunCosts costs, reader->costs());
      summary.answers += costs.exchanges;
      summary.tokens += costs.input_tokens + costs.output_tokens;
      summary.dollars += costs.dollars;
    }
    return summary;
  }

  /// Packages what is faster.
  Result<void> deploy(OptimiseSummary& summary) {
    std::vector<std::string> libraries;
    for (const OptimisedTask& task : summary.tasks) {
      if (task.faster()) libraries.push_back(library_folder(task.name));
    }
    summary.model = state_.model;
    if (!libraries.empty()) {
      KE_TRY(const int code, step("deploy", "", [&] { return package(libraries); }));
      KE_CHECK(code == exit_code::done);
      summary.package = package_folder();
    }
    summary.calls = state_.model ? std::vector<std::string>() : state_.calls;
    if (state_.model && !state_.calls.empty()) summary.model_figures = state_.calls.front() + "\n";
    summary.seconds = state_.seconds;
    return {};
  }

  /// Makes the package beside its place, so that none is ever there in part.
  Result<int> package(const std::vector<std::string>& libraries) {
    const fs::path place(package_folder());
    const fs::path made = fs::path(folder_) / ".made" / place.filename();
    std::error_code ignored;
    fs::remove_all(made.parent_path(), ignored);
    std::vector<std::string> words = {"deploy"};
    words.insert(words.end(), libraries.begin(), libraries.end());
    words.insert(words.end(), {"--torch", made.string()});
    if (state_.model) {
      words.insert(words.end(), {"--model", folder_ + "/needs", "--device", state_.device});
    } else {
      words.emplace_back("--json");
    }
    std::string output;
    KE_TRY(const int code, call(words, output));
    if (code != exit_code::done) return code;
    state_.calls.clear();
    if (state_.model) {
      const auto lines = split(trim(output), '\n');
      state_.calls.emplace_back(lines.back());
    } else {
      const Json answer = parse_json(output);
      for (const Json& one : answer.at("operators")) {
        state_.calls.push_back(one.at("call").get<std::string>());
      }
    }
    fs::remove_all(place, ignored);
    std::error_code failed;
    fs::rename(made, place, failed);
    if (failed) {
      return Error{Failure::store, fmt::format("{}: {}", place.string(), failed.message())};
    }
    fs::remove_all(made.parent_path(), ignored);
    return code;
  }

  const Arguments& arguments_;
  Console& console_;
  std::string folder_;
  std::string config_;
  OptimiseState state_;
};

Result<int> run_optimise(const Arguments& arguments, Console& console) {
  return Optimising(arguments, console).run();
}

}  // namespace

Verb optimise() {
  return {
      .name = "optimise",
      .positionals = "FILE.py [a.b=1 ...]",
      .least = 1,
      .most = 1000,
      .summary = "make a PyTorch module faster: from the file to a package, in one command",
      .details =
          "FILE.py has class Model, get_inputs() and get_init_inputs(). The command calls import,\n"
          "run, dispatch and deploy, each as the line that it prints says. A language model "
          "writes\n"
          "the kernels; without the key of one it says what to set. What may be paid is\n"
          "said before, what was paid at the end, with what became faster over what and how to\n"
          "call it. Settings are those of configs/module.yaml, on a GPU of "
          "configs/module-gpu.yaml;\n"
          "a.b=1 sets a key. With --model, 'needs' first takes a whole model apart, and what is\n"
          "faster takes its place in the model. FOLDER keeps what each finished step made: the\n"
          "same command goes on after a kill, and when letters were answered (exit code 8).\n"
          "Exit code 1 when nothing became faster.",
      .options = {{"out", 'o', "FOLDER", "", "folder of everything that is made"},
                  {"device", 0, "DEVICE", "cpu", "where the module runs", {}, {"cpu", "cuda"}},
                  {"model", 0, "", "", "FILE.py is a whole model, of which parts are made faster"},
                  {"top", 0, "N", "3", "with --model: how many needs are searched",
                   Bounds{1, 1000}},
                  {"quiet", 'q', "", "", "show no progress of the search"}},
      .exit_codes = {exit_code::negative, exit_code::safety, exit_code::device, exit_code::provider,
                     exit_code::replay_miss, exit_code::waiting, exit_code::interrupted,
                     exit_code::terminated},
      .example =
          "kernelevolve optimise configs/modules/gated_norm.py -o faster budget.evaluations=1 \\\n"
          "    'llm={kind: command, program: [cat, configs/modules/gated_norm.answer.md]}'",
      .run = &run_optimise};
}

}  // namespace ke::verbs

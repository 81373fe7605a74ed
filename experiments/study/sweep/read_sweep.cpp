#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/text.hpp"
#include "experiments/run/assemble.hpp"
#include "experiments/run/config/document.hpp"
#include "experiments/run/yaml/read_yaml.hpp"
#include "experiments/study/sweep/chain.hpp"
#include "experiments/study/sweep/expand.hpp"
#include "experiments/study/sweep/rules.hpp"
#include "experiments/study/sweep/sweep.hpp"

namespace ke {
namespace {

// Reads the experiments of a sweep's arms.

/// State of one reading, which collects all errors.
struct Reading {
  Sweep sweep;
  std::string beside;
  std::vector<std::string> errors;
  Failure failure = Failure::config;

  /// Adds each line once: an error of the base occurs in every arm.
  void add(const Error& error);
};

/// Experiment keys that the sweep itself sets.
const std::set<std::string, std::less<>> own_keys = {"task", "seed", "name", "schema"};

void set_task(Node& document, const std::string& task, const Place& place) {
  const Node value = scalar_node(task, place);
  document.set("task", value);
  const Node* device = document.find("device");
  const Node* kind = device == nullptr ? nullptr : device->find("kind");
  const auto* row = find_component(evaluator_kinds(), kind == nullptr ? "cpu" : kind->scalar);
  const auto option = row == nullptr ? "" : row->make()->task_option();
  if (!option.empty()) document.set(fmt::format("device.{}", option), value);
}

/// Applies an arm's settings to the base.
Node document_of(const Node& base, const ArmSpec& spec, Reading& reading) {
  Node document = base;
  for (const ArmSetting& setting : spec.settings) {
    const std::string top(split(setting.path, '.').front());
    if (own_keys.contains(top)) {
      reading.errors.push_back(fmt::format("{}: arm '{}' sets '{}', which belongs to the sweep",
                                           setting.value.place.text(), spec.name, setting.path));
      continue;
    }
    const auto laid = lay_over(document, setting.path, setting.value, reading.beside);
    if (!laid) reading.add(laid.error());
  }
  return document;
}

/// Shares subjects between arms with equal device and memory, because a recorded space may be
/// large.
class Subjects {
 public:
  std::shared_ptr<Subject> get(const Experiment& experiment, const std::string& task,
                               Reading& reading) {
    std::string key = task + "\n";
    for (const std::string_view line : split(experiment.canonical_text, '\n')) {
      const bool reads = line.starts_with("device.") || line.starts_with("memory.") ||
                         line.starts_with("islands.");
      if (reads) key.append(line) += "\n";
    }
    auto& known = known_[key];
    if (known) return known;
    auto subject = read_subject(experiment, task, reading.beside);
    if (!subject) {
      reading.add(subject.error());
      return nullptr;
    }
    known = std::make_shared<Subject>(*std::move(subject));
    return known;
  }

 private:
  std::map<std::string, std::shared_ptr<Subject>> known_;
};

void read_arm(const Node& document, SweepArm& arm, const Place& place, Subjects& subjects,
              Reading& reading) {
  for (const std::string& task : reading.sweep.tasks) {
    Node own = document;
    set_task(own, task, place);
    if (reading.sweep.chained) begin_chain(own, reading.errors);
    auto experiment = read_experiment(std::move(own), arm.spec.name);
    if (!experiment) return reading.add(experiment.error());
    auto subject = subjects.get(*experiment, task, reading);
    if (!subject) return;
    arm.experiments.push_back(*std::move(experiment));
    reading.sweep.subjects.push_back(std::move(subject));
  }
}

/// Reads the seeds and, if the sweep names none, the tasks from the first arm.
void read_matrix(const Node& first, const std::vector<std::string>& tasks, Reading& reading) {
  const auto experiment = read_experiment(first, reading.sweep.name);
  if (!experiment) return reading.add(experiment.error());
  reading.sweep.seeds = experiment->seeds;
  reading.sweep.tasks = tasks.empty() ? experiment->tasks : tasks;
}

void Reading::add(const Error& error) {
  if (error.failure == Failure::device || error.failure == Failure::usage) {
    failure = error.failure;
  }
  for (const std::string_view line : split(error.message, '\n')) {
    const bool known = std::ranges::find(errors, line) != errors.end();
    if (!known && !line.empty()) errors.emplace_back(line);
  }
}

/// Reads the experiment of every arm and task into `reading.sweep`, and the seeds of the first one.
/// An empty `tasks` means those of the base; `place` is their position.
void read_arms(const std::vector<ArmSpec>& specs, const Node& base,
               const std::vector<std::string>& tasks, const Place& place, Reading& reading) {
  if (specs.empty()) return;
  Node first = document_of(base, specs.front(), reading);
  if (!tasks.empty()) set_task(first, tasks.front(), place);
  if (reading.sweep.chained) begin_chain(first, reading.errors);
  read_matrix(first, tasks, reading);
  Subjects subjects;
  for (const ArmSpec& spec : specs) {
    SweepArm arm{spec, {}};
    const Node document = document_of(base, spec, reading);
    if (reading.sweep.tasks.empty()) {  // the first arm is invalid: check the others too
      const auto experiment = read_experiment(document, spec.name);
      if (!experiment) reading.add(experiment.error());
    }
    read_arm(document, arm, place, subjects, reading);
    reading.sweep.arms.push_back(std::move(arm));
  }
}

namespace fs = std::filesystem;

constexpr std::string_view schema = "kernelevolve-sweep/1";
/// A sweep's document before its experiments are read.
struct Declared {
  std::string base;
  std::vector<std::string> include;
  std::vector<std::string> tasks;
  std::vector<std::string> seeds;
};

/// Reads a map with keys of the experiment, so only `list` needs its declaration.
const Node* free_map(Params& top, ParamLog& log, std::string name, std::string doc) {
  const Node* node = top.raw(name);
  log.options.push_back({std::move(name), "map", "", "", std::move(doc)});
  return node;
}

ArmSources read_sources(Params& top, ParamLog& log) {
  ArmSources sources;
  sources.arms = free_map(top, log, "arms",
                          "named arms; each sets keys of the experiment, a.b: 1 "
                          "or a: {b: 1}, and key!: replaces a map whole");
  sources.zip =
      free_map(top, log, "zip", "keys with equally long lists of values, taken row by row");
  sources.grid = free_map(top, log, "grid",
                          "keys with lists of values, all combined; or {values: "
                          "[...], when: {key: value}}");
  sources.labels =
      free_map(top, log, "labels", "what arms are called in figures and LaTeX tables, arm: text");
  return sources;
}

Declared read_top(Params& top, Sweep& sweep) {
  top.choice("schema", schema, {std::string(schema)}, "version of this file format");
  Declared declared;
  sweep.name = top.text("name", sweep.name, "name of the sweep; its folder is runs/<name>");
  declared.base = top.text("base", "", "experiment file that all arms start from");
  if (declared.base.empty() && top.node() != nullptr) top.fail("base", "is missing");
  declared.include =
      top.texts("include", {}, "files whose keys are laid over the base, in this order");
  declared.tasks = top.texts("tasks", {}, "tasks of every arm; those of the base if not given");
  declared.seeds = top.texts("seeds", {},
                             "seeds of every arm and task, e.g. 1..30; those of the base if not "
                             "given");
  sweep.currency = top.choice("currency", "evaluations", {"evaluations", "proposals"},
                              "budget that is limited, and equal in all arms");
  sweep.factor = top.texts("factor", {},
                           "keys in which arms may differ; if not given, those that "
                           "the arm sets");
  sweep.chained =
      top.choice("chain", "none", {"none", "tasks"},
                 "tasks: in arms with a memory each run is told what the runs of its arm "
                 "and seed on earlier tasks learned, in the order of 'tasks'") == "tasks";
  for (const std::string& held : top.texts("hold", {},
                                           "what else is equal in all arms: "
                                           "total_cells (islands times cells)")) {
    if (held == "total_cells") {
      sweep.hold.total_cells = true;
    } else {
      top.fail("hold", fmt::format("= {} is not one of total_cells", held));
    }
  }
  return declared;
}

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// Reads the base, lays the includes of the sweep over it, and expands short forms.
Result<Node> read_base(const Declared& declared, const std::string& beside) {
  const fs::path folder(beside);
  const std::string path = (folder / declared.base).string();
  KE_TRY(Node base, load_document(path, {}));
  for (const std::string& include : declared.include) {
    KE_TRY(Node over, read_yaml_file((folder / include).string()));
    std::erase_if(over.entries, [](const Node::Entry& entry) { return entry.key == "schema"; });
    KE_TRY_VOID(write_out_short_forms(over, folder_of((folder / include).string())));
    KE_TRY_VOID(lay_over(base, "", over, folder_of(path)));
  }
  return base;
}

/// True if an override sets a key of the sweep; other overrides set keys of the base.
bool is_own(const std::string& text) {
  const std::string key(split(std::string_view(text).substr(0, text.find('=')), '.').front());
  for (const Option& option : sweep_options()) {
    if (split(option.path, '.').front() == key) return true;
  }
  return false;
}

Result<Node> read_own(const std::string& path, const std::vector<std::string>& overrides) {
  KE_TRY(Node document, read_yaml_file(path));
  if (document.kind != Node::Kind::map) {
    return Error{Failure::config, document.place.text() + ": a sweep is a map of keys"};
  }
  for (const std::string& text : overrides) {
    if (is_own(text)) KE_TRY_VOID(apply_override(document, text, folder_of(path)));
  }
  return document;
}

void check_names(const std::vector<ArmSpec>& specs, Reading& reading) {
  std::set<std::string> seen;
  for (const ArmSpec& spec : specs) {
    if (seen.insert(spec.name).second) continue;
    reading.errors.push_back(
        fmt::format("{}: two arms are called '{}'", reading.sweep.path, spec.name));
  }
}

/// Each key of `labels` is an arm.
void read_labels(const Node* labels, Reading& reading) {
  if (labels == nullptr) return;
  std::vector<std::string> names;
  for (const SweepArm& arm : reading.sweep.arms) names.push_back(arm.spec.name);
  for (const Node::Entry& entry : labels->entries) {
    const std::string& label = entry.value.scalar;
    const bool known = names.empty() || std::ranges::find(names, entry.key) != names.end();
    if (!known || label.empty()) {
      reading.errors.push_back(
          fmt::format("{}: 'labels.{}' {}", entry.value.place.text(), entry.key,
                      known ? "is no text" : "is no arm" + suggestion(entry.key, names)));
    }
    reading.sweep.labels[entry.key] = label;
  }
}

void finish(Params& top, Reading& reading) {
  Sweep& sweep = reading.sweep;
  Params section = top.section("analysis");
  std::vector<std::string> names;
  for (const SweepArm& arm : sweep.arms) names.push_back(arm.spec.name);
  if (sweep.analysis.reference.empty() && !names.empty()) sweep.analysis.reference = names.front();
  const auto check = [&](std::string_view key, const std::string& name) {
    if (names.empty() || std::ranges::find(names, name) != names.end()) return;
    section.fail(key, fmt::format("= {} is no arm{}", name, suggestion(name, names)));
  };
  check("reference", sweep.analysis.reference);
  for (const std::string& name : sweep.analysis.arms) check("arms", name);
}

}  // namespace

Result<Sweep> read_sweep(const std::string& path, const std::vector<std::string>& overrides) {
  Reading reading;
  reading.sweep.path = path;
  reading.sweep.name = fs::path(path).stem().string();
  reading.beside = folder_of(path);
  KE_TRY(const Node document, read_own(path, overrides));
  ParamLog log;
  Params top(&document, "", log);
  const Declared declared = read_top(top, reading.sweep);
  const ArmSources sources = read_sources(top, log);
  reading.sweep.analysis = read_analysis(top);
  reading.sweep.slurm = read_slurm(top);
  log.report_unknown();
  if (!declared.base.empty()) {
    KE_TRY(Node base, read_base(declared, reading.beside));
    for (const std::string& text : overrides) {
      if (!is_own(text)) KE_TRY_VOID(apply_override(base, text, reading.beside));
    }
    if (!declared.seeds.empty()) base.set("seed", *document.find("seeds"));
    const auto specs = expand_arms(sources, base, reading.beside, reading.errors);
    check_names(specs, reading);
    const Node* tasks = document.find("tasks");
    read_arms(specs, base, declared.tasks, tasks == nullptr ? document.place : tasks->place,
              reading);
  }
  read_labels(sources.labels, reading);
  finish(top, reading);
  reading.sweep.analysis.canonical_text = analysis_text(log, reading.sweep.analysis);
  for (const std::string& error : log.errors) reading.add({Failure::config, error});
  if (reading.errors.empty()) check_rules(reading.sweep, reading.errors);
  if (!reading.errors.empty()) {
    return Error{reading.failure, fmt::format("{}", fmt::join(reading.errors, "\n"))};
  }
  return std::move(reading.sweep);
}

std::vector<Option> sweep_options() {
  Sweep sweep;
  ParamLog log;
  Params top(nullptr, "", log);
  read_top(top, sweep);
  read_sources(top, log);
  read_analysis(top);
  read_slurm(top);
  return log.options;
}

bool is_sweep(const std::string& path) {
  const auto document = read_yaml_file(path);
  const Node* found = document ? document->find("schema") : nullptr;
  return found != nullptr && found->scalar.starts_with("kernelevolve-sweep/");
}

}  // namespace ke

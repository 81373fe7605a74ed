#include "experiments/study/sweep/read_arms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/text.hpp"
#include "experiments/run/assemble.hpp"
#include "experiments/run/config/document.hpp"
#include "experiments/study/sweep/chain.hpp"

namespace ke {
namespace {

/// Experiment keys that the sweep itself sets.
const std::set<std::string, std::less<>> own_keys = {"task", "seed", "name", "schema"};

void set_task(Node& document, const std::string& task, const Place& place) {
  Node value;
  value.kind = Node::Kind::scalar;
  value.place = place;
  value.scalar = task;
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

}  // namespace

void Reading::add(const Error& error) {
  if (error.failure == Failure::device || error.failure == Failure::usage) {
    failure = error.failure;
  }
  for (const std::string_view line : split(error.message, '\n')) {
    const bool known = std::ranges::find(errors, line) != errors.end();
    if (!known && !line.empty()) errors.emplace_back(line);
  }
}

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

}  // namespace ke

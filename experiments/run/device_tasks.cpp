#include "experiments/run/device_tasks.hpp"

#include <fmt/format.h>

#include <set>

#include "core/registry.hpp"
#include "experiments/run/config/document.hpp"

namespace ke {

Result<DescribedDevice> describe_device(const std::string& task,
                                        std::span<const std::string> words) {
  Node document;
  document.kind = Node::Kind::map;
  document.set("task", scalar_node(task));
  for (const std::string& text : words) {
    if (!text.starts_with("device")) {
      return Error{Failure::usage, fmt::format("'{}': only keys of 'device' are taken here", text)};
    }
    KE_TRY_VOID(apply_override(document, text, "."));
  }
  DescribedDevice made;
  KE_TRY(made.experiment, read_experiment(std::move(document), "device"));
  KE_TRY(made.subject, read_subject_alone(made.experiment, task, "."));
  return made;
}

namespace {

/// Arguments in signature order: "x float32, y float32 out, rows, cols".
std::string arguments_of(const Task& task) {
  std::string text;
  for (const TensorSpec& tensor : task.tensors) {
    text +=
        fmt::format("{} {}{}, ", tensor.name, to_string(tensor.dtype), tensor.output ? " out" : "");
  }
  for (const std::string& axis : task.axis_arguments) text += axis + ", ";
  return text.substr(0, text.size() - 2);
}

std::string knobs_of(const Seed& seed) {
  std::string text = "knobs";
  if (!seed.space) return text;
  for (const Knob& knob : seed.space->knobs) {
    text += fmt::format(" {}({})", knob.name, knob.values.size());
  }
  return text;
}

const Seed& some_kernel(const Subject& subject) {
  return subject.seeds.empty() ? subject.interface : subject.seeds.front();
}

std::string language_of(const Subject& subject) {
  return subject.task ? subject.task->language : some_kernel(subject).kernel.language;
}

std::string_view why_apart(const Subject& a, const Subject& b) {
  return language_of(a) != language_of(b) ? "languages" : "arguments";
}

/// True if an island of one device receives from an island of the other.
bool are_neighbours(const IslandsPlan& islands, std::size_t a, std::size_t b) {
  const Topology topology = find_component(topologies(), islands.topology)->make;
  for (std::int64_t to = 0; to < islands.count; ++to) {
    if (islands.device_of[static_cast<std::size_t>(to)] != b) continue;
    for (const std::int64_t from : topology(to, islands.count)) {
      if (islands.device_of[static_cast<std::size_t>(from)] == a) return true;
    }
  }
  return false;
}

}  // namespace

std::string task_on(const DeviceSpec& device, const std::string& task) {
  if (device.task.empty()) return task;
  const std::size_t star = device.task.find('*');
  if (star == device.task.npos) return device.task;
  return device.task.substr(0, star) + task + device.task.substr(star + 1);
}

std::string abi_of(const Subject& subject) {
  return language_of(subject) + ": " +
         (subject.task ? arguments_of(*subject.task) : knobs_of(some_kernel(subject)));
}

Result<Subject> join_devices(const Experiment& experiment, std::vector<Subject> subjects) {
  Subject joined = subjects.front();
  if (subjects.size() == 1) return joined;
  Encoder content;
  content("devices/1");
  for (std::size_t d = 0; d < subjects.size(); ++d) {
    content(subjects[d].hash);
    const Task* first = joined.task.get();
    const Task* task = subjects[d].task.get();
    if (first == nullptr || task == nullptr || arguments_of(*first) == arguments_of(*task)) {
      continue;
    }
    return Error{Failure::config,
                 fmt::format("devices {} and {} have tasks with different arguments ({} has {}, {} "
                             "has {}); 'task' beside an island's device names its task",
                             experiment.devices[0].name, experiment.devices[d].name, first->name,
                             arguments_of(*first), task->name, arguments_of(*task))};
  }
  joined.hash = content.digest();
  joined.devices = std::move(subjects);
  return joined;
}

std::vector<std::string> without_exchange(const Experiment& experiment, const Subject& subject) {
  std::vector<std::string> lines;
  if (experiment.islands.migrate_every == 0) return lines;
  for (std::size_t a = 0; a < subject.devices.size(); ++a) {
    for (std::size_t b = a + 1; b < subject.devices.size(); ++b) {
      const Subject& one = subject.devices[a];
      const Subject& other = subject.devices[b];
      const bool meet =
          are_neighbours(experiment.islands, a, b) || are_neighbours(experiment.islands, b, a);
      if (!meet || abi_of(one) == abi_of(other)) continue;
      lines.push_back(
          fmt::format("no kernel can go between devices {} and {}: their {} differ "
                      "({} | {})",
                      experiment.devices[a].name, experiment.devices[b].name, why_apart(one, other),
                      abi_of(one), abi_of(other)));
    }
  }
  return lines;
}

}  // namespace ke

#include "fitness/content/reference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

namespace ke {
namespace {

using reference_wire::Answer;
using Kind = ReferenceEnd::Kind;

constexpr std::int64_t ns_a_step = 20;
constexpr std::byte front_fill{0xa5};  // precedes outputs, to detect writes in front of them

std::string named(const Task& task, const Shapes& shapes, std::size_t t) {
  return fmt::format("{} '{}' (shape [{}])", task.tensors[t].output ? "output" : "input",
                     task.tensors[t].name, fmt::join(shapes.tensors[t].dims, ", "));
}

std::string place_of_fault(const Task& task, const Shapes& shapes, const ReferenceTensors& tensors,
                           const Answer& answer) {
  const char* const verb = answer.wrote != 0 ? "wrote" : "read";
  if (answer.tensor == Answer::stack) return "ran out of its stack";
  if (answer.tensor < 0 || static_cast<std::size_t>(answer.tensor) >= tensors.bytes.size()) {
    return fmt::format("{} memory that belongs to no tensor", verb);
  }
  const auto t = static_cast<std::size_t>(answer.tensor);
  if (answer.offset < 0) return fmt::format("{} before {}", verb, named(task, shapes, t));
  const auto size = tensors.bytes[t];
  const auto offset = static_cast<std::size_t>(answer.offset);
  if (offset < size) return fmt::format("wrote to {}", named(task, shapes, t));
  const std::size_t element = size / static_cast<std::size_t>(shapes.tensors[t].elements);
  return fmt::format("{} beyond {}: element {} of {}", verb, named(task, shapes, t),
                     offset / element, shapes.tensors[t].elements);
}

std::string text_of_end(const Task& task, const Shapes& shapes, const ReferenceTensors& tensors,
                        const ReferenceEnd& end, const ReferenceSite& site) {
  switch (end.kind) {
    case Kind::timed_out:
      return fmt::format(
          "took longer than {:.3g} s (reference_limit and {} ns for each element "
          "and operation)",
          static_cast<double>(site.limit.count()) * 1e-9, ns_a_step);
    case Kind::exited: return fmt::format("ended its process with code {}", end.code);
    case Kind::signalled:
      return fmt::format("crashed with signal {} ({})", end.code, strsignal(end.code));
    case Kind::answered: break;
  }
  if (end.answer.kind == Answer::fault) {
    return place_of_fault(task, shapes, tensors, end.answer);
  }
  if (end.answer.kind == Answer::threw) return fmt::format("threw {}", end.answer.text);
  return "asked for more memory than it may have";
}

bool front_stands(const std::byte* data, std::size_t bytes) {
  const std::size_t front = ReferenceProcess::front_bytes(bytes);
  return std::all_of(data - front, data, [](std::byte value) { return value == front_fill; });
}

/// Describes a failed load; "" when the reference is ready.
std::string text_of_loading(const ReferenceEnd& end) {
  if (end.kind != Kind::answered) return "could not be loaded: its process ended";
  if (end.answer.kind == Answer::no_symbol) {
    return "defines no function 'reference'; expected: extern \"C\" void reference(inputs..., "
           "outputs..., axes...)";
  }
  if (end.answer.kind == Answer::ready) return {};
  return fmt::format("could not be loaded: {}", end.answer.text);
}

}  // namespace

struct Reference::State {
  ReferenceProgram program;
  std::mutex mutex;  ///< guards the map and the failure; a process belongs to one thread
  std::map<std::thread::id, std::unique_ptr<ReferenceProcess>> processes;
  std::vector<std::unique_ptr<ReferenceProcess>> idle;  ///< of the owner
  std::thread::id owner = std::this_thread::get_id();   ///< called start()
  std::optional<Error> failure;
};

ReferenceSite reference_site(const Task& task, const Workload& workload, const Shapes& shapes) {
  const auto flops = task.value(task.flops, workload);
  std::int64_t steps = flops ? *flops : 0;
  for (const TensorShape& tensor : shapes.tensors) steps += tensor.elements;
  return {workload.label, std::chrono::milliseconds(task.reference_limit_ms) +
                              std::chrono::nanoseconds(ns_a_step * steps)};
}

Result<Reference> Reference::start(ReferenceProgram program) {
  Reference reference;
  reference.state_ = std::make_shared<State>();
  reference.state_->program = std::move(program);
  KE_TRY_VOID(reference.process());
  reference.leave();
  return reference;
}

Result<ReferenceProcess*> Reference::process() const {
  const auto self = std::this_thread::get_id();
  {
    const std::lock_guard lock(state_->mutex);
    auto found = state_->processes.find(self);
    if (found == state_->processes.end() && !state_->idle.empty()) {
      found = state_->processes.emplace(self, std::move(state_->idle.back())).first;
      state_->idle.pop_back();
      found->second->follow_this_thread();
    }
    if (found != state_->processes.end() && found->second->alive()) return found->second.get();
  }
  KE_TRY(auto started, ReferenceProcess::start(state_->program));
  if (const std::string problem = text_of_loading(started->loaded()); !problem.empty()) {
    return Error{Failure::reference, fmt::format("{}: {}", state_->program.file, problem)};
  }
  const std::lock_guard lock(state_->mutex);
  auto& slot = state_->processes[self];
  slot = std::move(started);
  return slot.get();
}

Result<ReferenceTensors> Reference::prepare(const Task& task, const Shapes& shapes) const {
  KE_CHECK(state_ != nullptr);
  KE_TRY_VOID(health());
  ReferenceTensors tensors;
  KE_TRY(tensors.process, process());
  for (std::size_t t = 0; t < task.tensors.size(); ++t) {
    const Dtype dtype = task.tensors[t].dtype;
    const std::size_t element = is_int(dtype) ? bytes_of(dtype) : sizeof(double);
    const std::size_t bytes = element * static_cast<std::size_t>(shapes.tensors[t].elements);
    KE_TRY(std::byte* const data, tensors.process->tensor(t, bytes));
    tensors.data.push_back(data);
    tensors.bytes.push_back(bytes);
    if (!task.tensors[t].output) continue;
    std::memset(data, 0, bytes);
    const std::size_t front = ReferenceProcess::front_bytes(bytes);
    std::fill(data - front, data, front_fill);
  }
  return tensors;
}

Result<void> Reference::run(const Task& task, const Shapes& shapes, const ReferenceTensors& tensors,
                            const ReferenceSite& site, bool as_written) const {
  reference_wire::Request request;
  request.as_written = as_written ? 1 : 0;
  request.tensors = tensors.bytes.size();
  for (std::size_t t = 0; t < tensors.bytes.size(); ++t) {
    request.bytes[t] = tensors.bytes[t];
    request.writable[t] = task.tensors[t].output ? 1 : 0;
    const std::vector<std::int64_t>& dims = shapes.tensors[t].dims;
    if (dims.size() > reference_wire::max_dimensions) {
      return Error{Failure::config, fmt::format("{} has {} dimensions, at most {} are allowed",
                                                named(task, shapes, t), dims.size(),
                                                reference_wire::max_dimensions)};
    }
    request.ranks[t] = dims.size();
    std::ranges::copy(dims, request.dims[t]);
  }
  request.axes = shapes.axis_arguments.size();
  std::ranges::copy(shapes.axis_arguments, request.values);
  const ReferenceEnd end = tensors.process->call(request, site.limit);
  std::string problem;
  if (end.kind != Kind::answered || end.answer.kind != Answer::done) {
    problem = text_of_end(task, shapes, tensors, end, site);
  }
  for (std::size_t t = 0; t < tensors.bytes.size() && problem.empty(); ++t) {
    if (task.tensors[t].output && !front_stands(tensors.data[t], tensors.bytes[t])) {
      problem = "wrote before " + named(task, shapes, t);
    }
  }
  if (problem.empty()) return {};
  return Error{Failure::reference, fmt::format("{}: {}, at workload '{}'", state_->program.file,
                                               problem, site.workload)};
}

void Reference::leave() const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->processes.find(std::this_thread::get_id());
  if (found == state_->processes.end()) return;
  // A process ends with the thread that started it; the owner lives longest.
  if (found->second->starter() == state_->owner) state_->idle.push_back(std::move(found->second));
  state_->processes.erase(found);
}

void Reference::give_up(const Error& error) const {
  const std::lock_guard lock(state_->mutex);
  if (!state_->failure) state_->failure = error;
}

Result<void> Reference::health() const {
  if (!state_) return {};
  const std::lock_guard lock(state_->mutex);
  if (state_->failure) return *state_->failure;
  return {};
}

}  // namespace ke

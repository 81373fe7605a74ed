#pragma once
// Starts the CUDA evaluator of a task with default options.

#include "experiments/run/evaluators/cuda.hpp"
#include "experiments/run/places.hpp"

namespace ke::test {

inline Result<std::unique_ptr<Evaluator>> start_cuda(const std::shared_ptr<const Task>& task) {
  ParamLog log;
  Params device(nullptr, "device", log);
  const auto kind = find_component(evaluator_kinds(), "cuda")->make();
  Subject subject;
  subject.task = task;
  auto started = kind->start(device, subject, {{0.005, 0.01}, "", tools_folder(), 0});
  if (!started) return started.error();
  return std::move(started->evaluator);
}

}  // namespace ke::test

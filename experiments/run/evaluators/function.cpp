#include <fmt/format.h>

#include "experiments/run/evaluators/evaluator_kind.hpp"
#include "fitness/function/function_evaluator.hpp"

namespace ke {
namespace {

FunctionOptions read_function(Params& device) {
  FunctionOptions options = FunctionOptions::read(device);
  options.lanes = device.integer("lanes", 1, {1, 256}, "jobs at a time; changes no result");
  return options;
}

class FunctionKind final : public EvaluatorKind {
 public:
  void declare(Params& device) const override { read_function(device); }

  std::vector<std::string> default_tasks(Params& device) const override {
    return {read_function(device).function};
  }

  std::string_view task_option() const override { return "function"; }

  Result<Subject> subject(Params& device, const std::string& task,
                          const std::string&) const override {
    const FunctionOptions options = read_function(device);
    if (task != options.function) {
      return Error{Failure::config,
                   fmt::format("task '{}' does not fit device.function = {}; leave 'task' out, the "
                               "device names the function",
                               task, options.function)};
    }
    Subject subject;
    subject.name = options.function;
    subject.seeds = {function_seed(options)};
    subject.text = "maximise 100 / (1 + f(x) / n) of " + options.function;
    Encoder content;
    content("function/1")(options.function)(options.dimensions)(options.levels)(options.failures);
    content(options.noisy);
    subject.hash = content.digest();
    return subject;
  }

  Result<StartedEvaluator> start(Params& device, const Subject&,
                                 const EvaluatorSetup&) const override {
    return StartedEvaluator{make_function_evaluator(read_function(device)), "none needed"};
  }

  std::vector<AxisInfo> measures(Params&) const override {
    return {{.name = "m0", .unit = "1", .low = -1, .high = 1, .bins = 10},
            {.name = "m1", .unit = "1", .low = -1, .high = 1, .bins = 10}};
  }
  std::string default_axes(Params&) const override { return "[{measure: m0}, {measure: m1}]"; }
  bool simulated() const override { return true; }
};

}  // namespace

std::unique_ptr<EvaluatorKind> make_function_kind() { return std::make_unique<FunctionKind>(); }

}  // namespace ke

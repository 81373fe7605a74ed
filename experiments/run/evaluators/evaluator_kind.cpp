#include "experiments/run/evaluators/evaluator_kind.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ke {
namespace {

#define KE_EVALUATOR(name, doc) {#name, doc, &make_##name##_kind},
constexpr Component<EvaluatorKindFactory> table[] = {
#include "experiments/run/evaluators/evaluators.def"
};
#undef KE_EVALUATOR

}  // namespace

std::span<const Component<EvaluatorKindFactory>> evaluator_kinds() { return table; }

std::shared_ptr<const Language> shared_language(std::string_view name) {
  const Language* language = find_language(name);
  KE_CHECK(language != nullptr);
  return std::make_shared<const Language>(*language);
}

Result<std::shared_ptr<const Language>> require_language(const Task& task, std::string_view kind) {
  for (const Language& language : languages()) {
    const bool judged = std::ranges::find(language.kinds, kind) != language.kinds.end();
    if (judged && language.kernels == task.language) return shared_language(language.name);
  }
  const Language& spoken = language_of_kernels(task.language);
  return Error{
      Failure::config,
      fmt::format("task '{}' has kernels in {}, which devices of kind {} do not judge; set "
                  "device: {}",
                  task.name, spoken.title, kind, spoken.device)};
}

}  // namespace ke

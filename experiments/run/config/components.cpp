#include "experiments/run/config/components.hpp"

#include "archive/archives.hpp"
#include "core/numeric/numeric_strategy.hpp"
#include "core/registry.hpp"
#include "experiments/run/evaluators/evaluator_kind.hpp"
#include "operators/llm/providers/registry.hpp"
#include "operators/registry.hpp"

namespace ke {
namespace {

/// Makes the component once with default options, to learn which options it declares.
template <typename Make>
std::vector<Option> declared(std::string path, const Make& make) {
  ParamLog log;
  Params params(nullptr, std::move(path), log);
  make(params);
  return log.options;
}

template <typename Factory>
void append(std::string_view kind, std::string_view section,
            std::span<const Component<Factory>> table, std::vector<ComponentInfo>& list) {
  for (const auto& row : table) {
    std::string path(section);
    if (kind == "operator") path += "." + std::string(row.name);
    list.push_back({std::string(kind), std::string(row.name), std::string(row.doc),
                    declared(std::move(path), [&](Params& params) { row.make(params); })});
  }
}

}  // namespace

std::vector<ComponentInfo> all_components() {
  std::vector<ComponentInfo> list;
  append("operator", "operators", operators(), list);
  append("strategy", "strategy", strategies(), list);
  append("strategy", "strategy", numeric_strategies(), list);
  for (const auto& row : llm_providers()) {
    list.push_back({"provider", std::string(row.name), std::string(row.doc),
                    declared("llm", [&](Params& params) { row.make(params, {}); })});
  }
  for (const auto& row : topologies()) {
    list.push_back({"topology", std::string(row.name), std::string(row.doc), {}});
  }
  for (const ArchiveKind& row : archive_kinds()) {
    list.push_back({"archive", std::string(row.name), std::string(row.doc),
                    declared("archive", [&](Params& params) { row.make(params, {}); })});
  }
  for (const auto& row : evaluator_kinds()) {
    list.push_back({"evaluator", std::string(row.name), std::string(row.doc),
                    declared("device", [&](Params& params) { row.make()->declare(params); })});
  }
  return list;
}

}  // namespace ke

#include "experiments/components.hpp"

#include "core/registry.hpp"
#include "operators/registry.hpp"

namespace ke {
namespace {

/// Makes the component once at its defaults, to learn which options it declares.
template <typename Make>
std::vector<Option> declared(std::string path, const Make& make) {
  ParamLog log;
  Params params(nullptr, std::move(path), log);
  make(params);
  return log.options;
}

template <typename Factory>
void append(std::string_view kind, std::string_view section, std::span<const Component<Factory>> table,
            std::vector<ComponentInfo>& list) {
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
  for (const auto& row : topologies()) {
    list.push_back({"topology", std::string(row.name), std::string(row.doc), {}});
  }
  return list;
}

}  // namespace ke

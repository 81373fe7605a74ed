#include "experiments/cli/optimise/state.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>

#include "core/json.hpp"
#include "experiments/run/atomic_file.hpp"
#include "experiments/text/json.hpp"

namespace ke {
namespace {

constexpr std::string_view schema = "kernelevolve-optimise/1";

std::string path_of(const std::string& folder) { return folder + "/optimise.json"; }

Error begun_with(const std::string& folder, const std::string& what) {
  return {Failure::usage, fmt::format("{} was begun with {}; name another folder", folder, what)};
}

}  // namespace

Result<void> OptimiseState::load(const std::string& folder) {
  std::ifstream file(path_of(folder));
  if (!file) return {};
  const Json json = parse_json(file);
  OptimiseState stored;
  try {
    if (json.at("schema") != schema) return begun_with(folder, "another version");
    json.at("file").get_to(stored.file);
    json.at("content").get_to(stored.content);
    json.at("device").get_to(stored.device);
    json.at("model").get_to(stored.model);
    json.at("overrides").get_to(stored.overrides);
    json.at("tasks").get_to(stored.tasks);
    json.at("refused").get_to(stored.refused);
    json.at("done").get_to(stored.done);
    json.at("seconds").get_to(stored.seconds);
    json.at("calls").get_to(stored.calls);
  } catch (const Json::exception&) {
    return Error{Failure::usage, path_of(folder) + ": not what 'optimise' writes"};
  }
  if (stored.content != content) {
    return begun_with(folder, fmt::format("{} as it was then", stored.file));
  }
  if (stored.device != device) return begun_with(folder, "--device " + stored.device);
  if (stored.model != model) return begun_with(folder, model ? "a module" : "--model");
  if (!overrides.empty() && overrides != stored.overrides) {
    return begun_with(folder, fmt::format("the settings '{}'", fmt::join(stored.overrides, " ")));
  }
  *this = std::move(stored);
  return {};
}

Result<void> OptimiseState::save(const std::string& folder) const {
  KE_TRY_VOID(make_folder(folder));
  const Json json = {{"schema", schema},   {"file", file},       {"content", content},
                     {"device", device},   {"model", model},     {"overrides", overrides},
                     {"tasks", tasks},     {"refused", refused}, {"done", done},
                     {"seconds", seconds}, {"calls", calls}};
  return write_atomically(path_of(folder), document_text(json));
}

}  // namespace ke

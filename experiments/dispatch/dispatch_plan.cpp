#include "experiments/dispatch/dispatch_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/language.hpp"
#include "experiments/run/atomic_file.hpp"
#include "experiments/text/json.hpp"
#include "experiments/view/report/run_json.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view schema = "kernelevolve-dispatch/2";
/// Plans of this schema hold no reaches and take the usual one.
constexpr std::string_view schema_without_reach = "kernelevolve-dispatch/1";
constexpr std::string_view plan_file = "dispatch.json";

Json json_of(const GpuCode& code) {
  return {{"arch", code.arch}, {"kernels", code.kernels}, {"cubins", code.cubins.size()}};
}

Json json_of(const DispatchVariant& variant) {
  return {{"name", variant.name},
          {"origin", variant.origin},
          {"genome", variant.genome},
          {"arguments", variant.arguments},
          {"prepares", variant.prepares},
          {"language", variant.language},
          {"codes", column(variant.codes, [](const auto& one) { return json_of(one); })}};
}

/// Keeps the numbers of figures that are not resolved, of which means are made.
Json stored(const SpeedupFigure& figure) {
  return {{"speedup", number(figure.speedup)},
          {"ci", {number(figure.ci.low), number(figure.ci.high)}},
          {"note", figure.note}};
}

Json stored(const std::map<std::string, SpeedupFigure>& figures) {
  Json json = Json::object();
  for (const auto& [name, figure] : figures) json[name] = stored(figure);
  return json;
}

Json json_of(const DispatchShape& shape) {
  return {{"shape", shape.label},
          {"role", shape.role},
          {"lengths", shape.lengths},
          {"order", shape.order},
          {"speedups", stored(shape.speedups)}};
}

Json json_of(const DispatchCheck& check) {
  return {{"shape", check.label},
          {"role", check.role},
          {"variant", check.variant},
          {"dispatcher", stored(check.dispatcher)},
          {"champion", stored(check.champion)},
          {"libraries", stored(check.libraries)},
          {"library_ns", check.library_ns},
          {"opponents_ns", check.opponents_ns}};
}

Json json_of(const DispatchDevice& device) {
  return {{"processor", device.processor},
          {"extensions", device.extensions},
          {"device_class", device.device_class},
          {"date", device.date},
          {"champion", device.champion},
          {"within", device.within},
          {"rule", to_string(device.rule.kind)},
          {"reach", device.rule.reach},
          {"left_out_nearest", number(device.rule.left_out_nearest)},
          {"left_out_one", number(device.rule.left_out_one)},
          {"shapes", column(device.shapes, [](const auto& one) { return json_of(one); })},
          {"checks", column(device.checks, [](const auto& one) { return json_of(one); })},
          {"weights", device.mean.weights},
          {"total_time", device.mean.total_time}};
}

/// Reads null as 0: JSON writes NaN and infinities as null.
double real(const Json& json) { return json.is_null() ? 0 : json.get<double>(); }

SpeedupFigure figure_of(const Json& json) {
  SpeedupFigure figure;
  figure.speedup = real(json.at("speedup"));
  figure.ci = {real(json.at("ci").at(0)), real(json.at("ci").at(1))};
  figure.note = json.value("note", "");
  return figure;
}

DispatchVariant variant_of(const Json& json) {
  DispatchVariant variant{json.at("name"),
                          json.at("origin"),
                          json.at("genome"),
                          json.at("arguments"),
                          json.at("prepares"),
                          "",
                          json.value("language", "cpp")};
  // Named, because a range-for does not keep alive what `value` returns.
  const Json codes = json.value("codes", Json::array());
  for (const Json& code : codes) {
    variant.codes.push_back({code.at("arch"), code.at("kernels"), {}, ""});
    variant.codes.back().cubins.resize(code.at("cubins"));
  }
  return variant;
}

DispatchShape shape_of(const Json& json) {
  DispatchShape shape{json.at("shape"), json.at("role"), json.at("lengths"), json.at("order"), {}};
  for (const auto& [name, figure] : json.at("speedups").items()) {
    shape.speedups[name] = figure_of(figure);
  }
  return shape;
}

DispatchCheck check_of(const Json& json) {
  DispatchCheck check{json.at("shape"), json.at("role"), json.at("variant"),
                      figure_of(json.at("dispatcher")), figure_of(json.at("champion"))};
  // Named, because a range-for does not keep alive what `value` returns.
  const Json libraries = json.value("libraries", Json::object());
  for (const auto& [name, figure] : libraries.items()) check.libraries[name] = figure_of(figure);
  check.library_ns = json.value("library_ns", 0.0);
  check.opponents_ns = json.value("opponents_ns", std::map<std::string, double>());
  return check;
}

DispatchDevice device_of(const Json& json) {
  DispatchDevice device{json.at("processor"),
                        json.at("extensions"),
                        json.at("device_class"),
                        json.at("date"),
                        json.at("champion"),
                        json.value("within", 0.1),
                        {},
                        {},
                        {}};
  const bool nearest = json.at("rule") == to_string(DispatchKind::nearest_shape);
  device.rule.kind = nearest ? DispatchKind::nearest_shape : DispatchKind::one_kernel;
  if (json.contains("reach")) device.rule.reach = json.at("reach");
  device.rule.left_out_nearest = real(json.at("left_out_nearest"));
  device.rule.left_out_one = real(json.at("left_out_one"));
  for (const Json& one : json.at("shapes")) device.shapes.push_back(shape_of(one));
  for (const Json& one : json.at("checks")) device.checks.push_back(check_of(one));
  device.mean.weights = json.value("weights", device.mean.weights);
  device.mean.total_time = json.value("total_time", false);
  return device;
}

DispatchPlan plan_of(const Json& json) {
  DispatchPlan plan{json.at("task"),
                    json.at("task_hash"),
                    json.at("symbol"),
                    {},
                    {},
                    json.value("against", "anchor")};
  for (const Json& one : json.at("variants")) plan.variants.push_back(variant_of(one));
  for (const Json& one : json.at("devices")) plan.devices.push_back(device_of(one));
  return plan;
}

bool is_called(const DispatchPlan& plan, const std::string& variant) {
  return std::ranges::any_of(plan.devices, [&](const DispatchDevice& device) {
    return std::ranges::any_of(device.shapes, [&](const DispatchShape& shape) {
      return std::ranges::find(shape.order, variant) != shape.order.end();
    });
  });
}

Result<std::string> read_file(const std::string& path) {
  if (auto content = content_of(path)) return *std::move(content);
  return Error{Failure::usage, path + ": cannot be read"};
}

Result<void> write_files(const std::string& folder, const DispatchVariant& variant) {
  KE_TRY_VOID(write_atomically(folder + "/" + source_path(variant), variant.source));
  for (const GpuCode& code : variant.codes) {
    const std::string stem = folder + "/" + code_stem(variant, code);
    KE_TRY_VOID(write_atomically(stem + ".hpp", code.launch));
    for (std::size_t i = 0; i < code.cubins.size(); ++i) {
      KE_TRY_VOID(write_atomically(folder + "/" + image_path(variant, code, i), code.cubins[i]));
    }
  }
  return {};
}

Result<void> read_files(const std::string& folder, DispatchVariant& variant) {
  KE_TRY(variant.source, read_file(folder + "/" + source_path(variant)));
  for (GpuCode& code : variant.codes) {
    const std::string stem = folder + "/" + code_stem(variant, code);
    KE_TRY(code.launch, read_file(stem + ".hpp"));
    for (std::size_t i = 0; i < code.cubins.size(); ++i) {
      KE_TRY(code.cubins[i], read_file(folder + "/" + image_path(variant, code, i)));
    }
  }
  return {};
}

/// Keeps the machine code that another machine made from the same kernel.
void add_codes(const DispatchVariant& from, DispatchVariant& to) {
  for (const GpuCode& code : from.codes) {
    const bool again = std::ranges::find(to.codes, code.arch, &GpuCode::arch) != to.codes.end();
    if (!again) to.codes.push_back(code);
  }
}

/// True if an earlier version wrote a launch plan of this kernel as code.
bool has_launches_as_code(const DispatchVariant& variant) {
  return std::ranges::any_of(variant.codes, [](const GpuCode& code) {
    return code.launch.find("dispatch::LaunchPlan plan()") == std::string::npos;
  });
}

}  // namespace

std::string source_path(const DispatchVariant& variant) {
  const fs::path usual(language_of_kernels(variant.language).file);  // "kernel.cu"
  return fmt::format("variants/{}{}", variant.name, usual.extension().string());
}

std::string code_stem(const DispatchVariant& variant, const GpuCode& code) {
  return fmt::format("variants/{}.{}", variant.name, code.arch);
}

LibraryKind DispatchPlan::kind() const {
  if (variants.empty() || variants.front().codes.empty()) return LibraryKind::processor;
  const std::string& arch = variants.front().codes.front().arch;
  if (arch == "opencl") return LibraryKind::opencl;
  return arch.starts_with("gfx") ? LibraryKind::hip : LibraryKind::cuda;
}

std::string image_path(const DispatchVariant& variant, const GpuCode& code, std::size_t i) {
  return fmt::format("{}.{}.{}", code_stem(variant, code), i,
                     code.arch.starts_with("gfx") ? "co" : "cubin");
}

const DispatchVariant* DispatchPlan::find(std::string_view name) const {
  const auto found = std::ranges::find(variants, name, &DispatchVariant::name);
  return found == variants.end() ? nullptr : &*found;
}

std::string_view to_string(DispatchKind kind) {
  return kind == DispatchKind::nearest_shape ? "nearest shape" : "one kernel";
}

std::string_view to_string(LibraryKind kind) {
  switch (kind) {
    case LibraryKind::processor: return "processors";
    case LibraryKind::cuda: return "NVIDIA GPUs";
    case LibraryKind::hip: return "AMD GPUs";
    case LibraryKind::opencl: break;
  }
  return "OpenCL devices";
}

Result<void> write_plan(const std::string& folder, const DispatchPlan& plan) {
  KE_TRY_VOID(make_folder(folder + "/variants"));
  for (const DispatchVariant& variant : plan.variants) {
    KE_TRY_VOID(write_files(folder, variant));
  }
  const Json json = {
      {"schema", schema},
      {"task", plan.task},
      {"task_hash", plan.task_hash},
      {"symbol", plan.symbol},
      {"against", plan.against},
      {"variants", column(plan.variants, [](const auto& one) { return json_of(one); })},
      {"devices", column(plan.devices, [](const auto& one) { return json_of(one); })}};
  return write_atomically(folder + "/" + std::string(plan_file), document_text(json));
}

Result<std::optional<DispatchPlan>> read_plan(const std::string& folder) {
  const std::string path = folder + "/" + std::string(plan_file);
  std::ifstream file(path);
  if (!file) return std::optional<DispatchPlan>();
  const Json json = parse_json(file);
  const Error damaged{Failure::usage, path + ": not what 'dispatch' writes"};
  if (!json.is_object()) return damaged;
  DispatchPlan plan;
  try {
    if (json.at("schema") != schema && json.at("schema") != schema_without_reach) return damaged;
    plan = plan_of(json);
  } catch (const Json::exception&) {
    return damaged;
  }
  for (DispatchVariant& variant : plan.variants) {
    KE_TRY_VOID(read_files(folder, variant));
  }
  return std::optional(std::move(plan));
}

Result<DispatchPlan> merged(std::optional<DispatchPlan> before, DispatchPlan now) {
  if (!before) return now;
  if (before->task_hash != now.task_hash || before->symbol != now.symbol) {
    return Error{Failure::usage,
                 fmt::format("the folder holds a dispatcher '{}' of task '{}' (content {}), not "
                             "'{}' of '{}' (content {}); name another folder",
                             before->symbol, before->task, before->task_hash.substr(0, 12),
                             now.symbol, now.task, now.task_hash.substr(0, 12))};
  }
  if (before->kind() != now.kind()) {
    return Error{Failure::usage,
                 fmt::format("the folder holds a library for {}, and the kernels are for {}; name "
                             "another folder",
                             to_string(before->kind()), to_string(now.kind()))};
  }
  if (before->against != now.against) {
    return Error{Failure::usage,
                 fmt::format("the folder's figures are speedups over {}, not over {}; name another "
                             "folder",
                             before->against, now.against)};
  }
  for (DispatchVariant& variant : before->variants) {
    const auto same = std::ranges::find(now.variants, variant.name, &DispatchVariant::name);
    if (same == now.variants.end()) {
      now.variants.push_back(std::move(variant));
    } else {
      add_codes(variant, *same);
    }
  }
  for (DispatchDevice& device : before->devices) {
    const bool again = std::ranges::any_of(now.devices, [&](const DispatchDevice& one) {
      return one.processor == device.processor && one.extensions == device.extensions;
    });
    if (!again) now.devices.push_back(std::move(device));
  }
  std::erase_if(now.variants, [&](const DispatchVariant& variant) {
    return variant.name != fallback_name && !is_called(now, variant.name);
  });
  if (std::ranges::any_of(now.variants, has_launches_as_code)) {
    return Error{Failure::usage,
                 "the folder's library is of an earlier version, whose launch plans are code; name "
                 "another folder"};
  }
  std::ranges::stable_partition(
      now.variants, [](const DispatchVariant& variant) { return variant.name != fallback_name; });
  return now;
}

}  // namespace ke

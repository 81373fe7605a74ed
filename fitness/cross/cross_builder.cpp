#include "fitness/cross/cross_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/text.hpp"
#include "fitness/host/build/diagnostics.hpp"
#include "fitness/host/build/object_check.hpp"
#include "fitness/host/build/source_check.hpp"

namespace ke::cross {
namespace {

constexpr std::size_t largest_file = std::size_t{64} << 20;
constexpr std::chrono::milliseconds tool_limit{20'000};
constexpr char source_name[] = "kernel.cpp";

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, std::min<std::size_t>(text.find('\n'), 300)));
}

bool out_of_limits(const ToolRun& run) {
  return run.exit.kind == SandboxExit::Kind::running || run.output_cut;
}

}  // namespace

FlagCheck check_chip_flags(const std::vector<std::string>& flags, const Chip& chip) {
  FlagCheck checked;
  for (const std::string& flag : flags) {
    if (matches(flag, chip.dropped_flags)) continue;
    if (!matches(flag, chip.flags)) {
      checked.forbidden = flag;
      return checked;
    }
    checked.accepted.push_back(flag);
  }
  return checked;
}

std::optional<double> resource_in(std::string_view printed, const Resource& resource) {
  for (std::string_view line : split(printed, '\n')) {
    line = trim(line);
    if (!line.starts_with(resource.line)) continue;
    for (std::int64_t skipped = 0; skipped < resource.field; ++skipped) {
      line = trim(line.substr(std::min(line.find_first_of(" \t"), line.size())));
    }
    double value = 0;
    const auto read = std::from_chars(line.data(), line.data() + line.size(), value);
    if (read.ec == std::errc()) return value;
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Refusal> CrossBuilder::read_order(const Kernel& kernel, Order& order) const {
  DeclaredKernel declared;
  if (auto refusal = check_kernel(kernel, source_name, ExtraFlags::taken, declared)) return refusal;
  FlagCheck flags = check_chip_flags(declared.flags, chip_);
  if (flags.forbidden) return Refusal{"forbidden_flag", *flags.forbidden};
  if (auto refusal = check_defines(declared.macros)) return refusal;
  order.flags = std::move(flags.accepted);
  order.policy_flags = std::move(declared.policy_flags);
  for (const auto& [macro, value] : declared.macros) {
    order.defines.push_back("-D" + macro + "=" + value);
  }
  return std::nullopt;
}

Result<ToolRun> CrossBuilder::tool(const Command& command, const JobFolder& folder,
                                   const Order& order) const {
  const std::string& include = task_.include_dir.empty() ? chip_.support : task_.include_dir;
  const Words words{{{"support", chip_.support},
                     {"include", include},
                     {"source", source_name},
                     {"object", "kernel.o"},
                     {"image", "kernel.elf"}},
                    {{"flags", order.flags}, {"defines", order.defines}}};
  return tools_.run(filled(command, words), folder.path(), SandboxProfile::compiler, tool_limit);
}

/// False: the candidate is refused.
Result<bool> CrossBuilder::compile(const Order& order, const JobFolder& folder,
                                   CrossBuilt& built) const {
  KE_TRY(const ToolRun run, tool(chip_.compile, folder, order));
  built.compile_ns = run.wall_ns;
  built.diagnostics = parse_diagnostics(run.output, source_name);
  if (out_of_limits(run)) {
    built.refuse(Verdict::compile_limit, {"compile_limit", "the compiler took too long"});
    return false;
  }
  if (!run.exit.succeeded()) {
    built.refuse(Verdict::compile_error,
                 {"diagnostics", built.diagnostics.empty() ? first_line(run.output)
                                                           : built.diagnostics[0].message});
    return false;
  }
  KE_TRY(const std::string object, folder.read("kernel.o", largest_file));
  if (const auto problem = check_object(object)) {
    built.refuse(Verdict::rejected, *problem);
    return false;
  }
  KE_TRY(built.build_hash, build_hash(object));
  return true;
}

Result<bool> CrossBuilder::link(const JobFolder& folder, CrossBuilt& built) const {
  KE_TRY(const ToolRun run, tool(chip_.link, folder, {}));
  built.compile_ns += run.wall_ns;
  if (!run.exit.succeeded()) {
    built.refuse(Verdict::rejected, {"does_not_link", first_line(run.output)});
    return false;
  }
  KE_TRY(built.image, folder.read("kernel.elf", largest_file));
  return true;
}

Result<void> CrossBuilder::disassemble(const JobFolder& folder, CrossBuilt& built) const {
  KE_TRY(const ToolRun run, tool(chip_.disassemble, folder, {}));
  if (!run.exit.succeeded()) {
    return Error{Failure::device, "the disassembler fails: " + first_line(run.output)};
  }
  built.listing = Listing::read(run.output, chip_, {".support"});
  if (const auto& problem = built.listing.problem()) {
    built.refuse(Verdict::rejected, *problem);
  }
  return {};
}

Result<void> CrossBuilder::read_resources(const JobFolder& folder, CrossBuilt& built) const {
  if (chip_.resources.empty()) return {};
  KE_TRY(const ToolRun run, tool(chip_.resources, folder, {}));
  for (const Resource& resource : chip_.resource_measures) {
    if (const auto value = resource_in(run.output, resource)) {
      built.measures[resource.measure] = *value;
    }
  }
  return {};
}

Result<CrossBuilt> CrossBuilder::make(const Kernel& kernel) const {
  Order order;
  if (auto refusal = read_order(kernel, order)) return refused_build<CrossBuilt>(*refusal);
  CrossBuilt built;
  built.policy_flags = order.policy_flags;
  KE_TRY(const JobFolder folder, JobFolder::create(tools_.scratch));
  KE_TRY_VOID(folder.write(source_name, kernel.source));
  KE_TRY(bool good, compile(order, folder, built));
  if (!good) return built;
  KE_TRY(good, link(folder, built));
  if (!good) return built;
  KE_TRY_VOID(disassemble(folder, built));
  KE_TRY_VOID(read_resources(folder, built));
  return built;
}

Result<CrossBuiltPtr> CrossBuilder::build(const Kernel& kernel) {
  return known_.build(kernel.genome_hash(), [&] { return make(kernel); });
}

}  // namespace ke::cross

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>

#include "archive/shared_run.hpp"
#include "core/text.hpp"
#include "experiments/cli/verb.hpp"
#include "experiments/page/page.hpp"
#include "experiments/run/evaluators/cross.hpp"
#include "experiments/run/evaluators/hip.hpp"
#include "experiments/run/evaluators/python.hpp"
#include "experiments/run/host.hpp"
#include "experiments/run/places.hpp"
#include "experiments/text/json.hpp"
#include "experiments/text/table.hpp"
#include "fitness/cpu/build_cache.hpp"
#include "fitness/cuda/cuda_evaluator.hpp"
#include "fitness/opencl/opencl_evaluator.hpp"
#include "fitness/sandbox/level.hpp"

namespace ke::verbs {
namespace {

struct Finding {
  std::string what;
  bool ok = true;
  bool needed = false;  ///< true: nothing can be measured here unless this is ok
  std::string detail;
};

std::string first_line_of_command(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
  std::array<char, 256> line{};
  if (!pipe || std::fgets(line.data(), line.size(), pipe.get()) == nullptr) return {};
  return std::string(trim(line.data()));
}

std::string first_line_of_file(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

Finding tool(const std::string& path, const std::string& why) {
  const std::string version =
      access(path.c_str(), X_OK) == 0 ? first_line_of_command(path + " --version 2>/dev/null") : "";
  if (version.empty()) return {path, false, true, "missing; " + why};
  return {path, true, true, version};
}

Finding helper(const std::string& name) {
  const std::string path = tools_folder() + "/" + name;
  const bool there = access(path.c_str(), X_OK) == 0;
  return {name, there, true, there ? path : path + " is missing; build or install it"};
}

Finding sandbox() {
  const auto report = probe_sandbox(tools_folder());
  if (!report) return {"sandbox", false, true, report.error().message};
  std::string walls;
  for (const SandboxMechanism& m : report->mechanisms) {
    walls += fmt::format("{}{}{}", walls.empty() ? "" : ", ", m.available ? "" : "no ", m.name);
  }
  return {"sandbox", report->warning.empty(), false,
          fmt::format("level {}: {}{}{}", name(report->level), walls,
                      report->warning.empty() ? "" : "; ", report->warning)};
}

Finding cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  const int count = CPU_COUNT(&set);
  return {"cores", count >= 2, false,
          fmt::format("{} usable of {}, {}{}", count, sysconf(_SC_NPROCESSORS_ONLN),
                      cpu_info("model name"),
                      count >= 2 ? "" : "; with one core compiling disturbs timing")};
}

Finding load() {
  double average = 0;
  getloadavg(&average, 1);
  const bool quiet = average < 0.5;
  return {"load", quiet, false,
          fmt::format("{:.2f}{}", average, quiet ? "" : "; other work disturbs timing")};
}

/// Smallest step of the clock that measures spans.
Finding clock_step() {
  using Clock = std::chrono::steady_clock;
  auto least = Clock::duration::max();
  for (int i = 0; i < 1000; ++i) {
    const auto start = Clock::now();
    auto end = Clock::now();
    while (end == start) end = Clock::now();
    least = std::min(least, end - start);
  }
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(least).count();
  const std::string source =
      first_line_of_file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  return {"clock", ns < 1000, false, fmt::format("{}, steps of {} ns", source, ns)};
}

Finding governor() {
  const std::string found =
      first_line_of_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (found.empty()) return {"frequency", true, false, "not under control of this system"};
  return {"frequency", found == "performance", false, "governor " + found};
}

std::string text_of(const BuildCacheSize& size) {
  return fmt::format("{} builds, {:.1f} MiB", size.builds,
                     static_cast<double>(size.bytes) / (1 << 20));
}

Finding cache(const std::string& folder) {
  if (folder.empty()) return {"build cache", false, false, "none: HOME is not set"};
  return {"build cache", true, false,
          fmt::format("{}: {}; at most {} MiB, 'doctor --prune' empties it", folder,
                      text_of(build_cache_size(folder)), largest_build_cache >> 20)};
}

Finding page_of_reports() {
  const bool there = !page_template().head.empty();
  return {"page of reports", there, false,
          there
              ? "built in"
              : "left out of this build, for lack of nodejs and npm: 'report' and 'watch' have no "
                "page"};
}

Finding several_hosts() {
  const std::string missing = database_missing();
  return {"several hosts", missing.empty(), false,
          missing.empty() ? "client of PostgreSQL is built in" : missing};
}

/// Compilers that run in the sandbox.
std::vector<Finding> hip_and_opencl() {
  const auto report = probe_sandbox(tools_folder());
  if (!report) {
    const std::string& why = report.error().message;
    return {{"hip compiler", false, false, why}, {"opencl device", false, false, why}};
  }
  std::vector<Finding> findings;
  for (const gpu::ProbeLine& found : probe_hip_here(report->level)) {
    findings.push_back({found.what, found.ok, false, found.detail});
  }
  const auto found = opencl::probe_opencl(tools_folder(), report->level);
  findings.push_back(
      {"opencl device", static_cast<bool>(found), false, found ? *found : found.error().message});
  return findings;
}

/// Probes the python3 in PATH; device.python may name another.
std::vector<Finding> python_dsls() {
  const auto found = find_python("python3");
  if (!found) return {{"python", false, false, found.error().message}};
  std::vector<Finding> list;
  for (const python::DslFinding& dsl : found->dsls) {
    list.push_back({dsl.name, dsl.usable, false, dsl.detail + " (" + found->program + ")"});
  }
  return list;
}

/// For sweeps on a cluster; a search on one machine needs nothing of it.
Finding slurm() {
  for (const char* name : {"sbatch", "scontrol", "squeue"}) {
    if (!first_line_of_command(fmt::format("command -v {}", name)).empty()) continue;
    return {"slurm", false, false,
            fmt::format("no {} in PATH: 'sweep --engine slurm' cannot submit from here", name)};
  }
  const std::string version = first_line_of_command("sbatch --version 2>/dev/null");
  return {"slurm", !version.empty(), false,
          version.empty() ? "its commands are here, but no configuration of a cluster"
                          : version + ": sbatch, scontrol and squeue"};
}

std::vector<Finding> all_findings(const Console& console) {
  std::vector<Finding> findings{
      tool("/usr/bin/g++",
           "neither kernels of this processor nor the oracle of any task can be built: apt install "
           "g++"),
      tool("/usr/bin/ld", "nor can they be linked: apt install binutils"),
      tool("/usr/bin/objdump",
           "kernels of this processor cannot be described: apt install binutils"),
      helper("kernelevolve-worker"),
      helper("kernelevolve-sandbox"),
      helper("kernelevolve-reference"),
      sandbox(),
      cores(),
      load(),
      clock_step(),
      governor(),
      {"tasks", !known_tasks().empty(), false, fmt::format("{} known", known_tasks().size())},
      cache(console.cache_folder),
      page_of_reports(),
      slurm(),
      several_hosts()};
  // Nothing of a GPU or of a chip is needed for the rest to work.
  for (const gpu::ProbeLine& found : cuda::probe_cuda(tools_folder())) {
    findings.push_back({found.what, found.ok, false, found.detail});
  }
  for (Finding& found : hip_and_opencl()) findings.push_back(std::move(found));
  for (Finding& found : python_dsls()) findings.push_back(std::move(found));
  for (const ChipFinding& found : probe_chips()) {
    findings.push_back({found.name, found.ok, false, found.detail});
  }
  return findings;
}

Result<int> prune(const Arguments& arguments, Console& console) {
  const BuildCacheSize removed =
      console.cache_folder.empty() ? BuildCacheSize{} : prune_builds(console.cache_folder, 0);
  write_either(console.out, arguments.has("json"),
               {{"removed", {{"builds", removed.builds}, {"bytes", removed.bytes}}}},
               "removed from the build cache: " + text_of(removed) + "\n");
  return exit_code::done;
}

Result<int> run_doctor(const Arguments& arguments, Console& console) {
  if (arguments.has("prune")) return prune(arguments, console);
  const auto findings = all_findings(console);
  const bool ok = std::none_of(findings.begin(), findings.end(),
                               [](const Finding& f) { return !f.ok && f.needed; });
  Json json = {{"ok", ok}, {"findings", Json::array()}};
  Table table({"what", "state", "detail"});
  for (const Finding& f : findings) {
    json["findings"].push_back(
        {{"what", f.what}, {"ok", f.ok}, {"needed", f.needed}, {"detail", f.detail}});
    table.add({f.what, f.ok ? "ok" : (f.needed ? "MISSING" : "weak"), f.detail});
  }
  write_either(console.out, arguments.has("json"), json, table.text());
  return ok ? exit_code::done : exit_code::device;
}

}  // namespace

Verb doctor() {
  return {.name = "doctor",
          .positionals = "",
          .least = 0,
          .most = 0,
          .summary = "say what this machine offers: toolchain, sandbox, cores, clock, GPU, chips",
          .details = "Exit code 4 when something is missing without which nothing can be measured.",
          .options = {{"prune", 0, "", "", "only empty the cache of builds"}},
          .exit_codes = {exit_code::device},
          .example = "kernelevolve doctor",
          .run = &run_doctor};
}

}  // namespace ke::verbs

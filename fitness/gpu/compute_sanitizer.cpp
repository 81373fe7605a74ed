#include "fitness/gpu/compute_sanitizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>

#include "core/text.hpp"
#include "fitness/content/content_pool.hpp"
#include "fitness/content/secret_random.hpp"
#include "fitness/gpu/worker_protocol.hpp"
#include "fitness/sandbox/job.hpp"

namespace ke::gpu {
namespace {

using Answer = SanitizerReport::Status;

constexpr std::chrono::seconds longest_pass{60};
constexpr std::size_t most_text = std::size_t{1} << 16;
constexpr std::size_t contents_a_shape = 2;
constexpr std::int64_t largest_call_bytes = std::int64_t{32} << 20;

// racecheck is left out until it is known to understand barriers of bulk copies; it might accuse
// correct kernels. synccheck is left out because barriers that some threads miss hang or give wrong
// results, which the judge detects anyway.
const char* const tools[] = {"memcheck", "initcheck"};
const char* const places[] = {"compute-sanitizer", "/usr/local/cuda/bin/compute-sanitizer",
                              "/usr/local/cuda/compute-sanitizer/compute-sanitizer",
                              "/opt/cuda/bin/compute-sanitizer"};

/// Beginnings of findings, after the margin "========= ".
constexpr std::string_view findings[] = {"Invalid ", "Uninitialized "};
constexpr std::string_view margin = "=========";

/// A line of the tool without its margin; "" for lines of the program, which have none.
std::string_view inside_margin(std::string_view line) {
  if (!line.starts_with(margin)) return {};
  return trim(line.substr(margin.size()));
}

bool is_finding(std::string_view line) {
  return std::ranges::any_of(findings,
                             [&](std::string_view begin) { return line.starts_with(begin); });
}

/// Extracts " at softmax(float *, int)" from the next line, "at softmax(float *, int)+0x90".
std::string place_of(std::string_view line) {
  if (!line.starts_with("at ")) return {};
  return " " + std::string(line.substr(0, line.find("+0x")));
}

}  // namespace

Result<std::string> find_compute_sanitizer() {
  for (const char* place : places) {
    const LimitedRun run = run_limited({place, "--version"}, std::chrono::seconds(20), most_text);
    if (run.code == 0 && run.in_time) return std::string(place);
  }
  return Error{Failure::device,
               "compute-sanitizer is neither in PATH nor in /usr/local/cuda; install the CUDA "
               "toolkit"};
}

SanitizerReport report_of_tool(const std::string& tool, const LimitedRun& run) {
  const std::vector<std::string_view> lines = split(run.output, '\n');
  std::string first;
  bool summary = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = inside_margin(lines[i]);
    if (is_finding(line)) {
      std::string message(line);
      if (i + 1 < lines.size()) message += place_of(inside_margin(lines[i + 1]));
      return {Answer::finding, tool, message.substr(0, SanitizerReport::most_message)};
    }
    summary = summary || line.find("SUMMARY: 0 ") != line.npos;
    const std::string_view said = line.empty() ? trim(lines[i]) : line;
    if (first.empty() && !said.starts_with(margin) && said != "COMPUTE-SANITIZER") first = said;
  }
  if (!run.in_time) return not_applicable(tool + " took longer than 60 s");
  if (summary && run.code == 0) return {Answer::clean, "", ""};
  return not_applicable(fmt::format("the kernel did not run under {}: {}", tool, first));
}

// The tool changes the occupancy that a plan may ask for, so assume one block per multiprocessor,
// which always fits.
Result<std::string> ComputeSanitizer::calls(const GpuBuilt& built) const {
  KE_TRY(SecretRandom random, SecretRandom::from_system());
  ExaminedCalls all{gpu_.index, built.cubins, {}};
  for (const Workload* workload : task_.test_workloads()) {
    KE_TRY(const Shapes shapes, resolve_shapes(task_, *workload));
    if (shapes.bytes() > largest_call_bytes) continue;
    PlanContext context{&task_, workload, built.knobs, gpu_.terms, {}};
    context.occupancy = [](const std::string&, std::int64_t, std::int64_t) -> Result<std::int64_t> {
      return 1;
    };
    KE_TRY(const ResolvedPlan plan, resolve_plan(built.plan, context));
    PoolOptions options;
    options.entries = contents_a_shape;
    KE_TRY(const ContentPool pool,
           ContentPool::create(task_, *workload, reference_, random, options));
    for (const auto& entry : pool.entries()) all.add(plan, *entry);
  }
  const bool left_out = all.calls.empty() && !task_.test_workloads().empty();
  return left_out ? std::string() : encode(all);
}

Result<SanitizerReport> ComputeSanitizer::examine(const GpuBuilt& built) const {
  const auto program = find_();
  if (!program) return not_applicable(program.error().message);
  KE_TRY(const JobFolder folder, JobFolder::create("/tmp"));
  KE_TRY(const std::string data, calls(built));
  if (data.empty()) return not_applicable("every test shape takes more than 32 MiB");
  KE_TRY_VOID(folder.write("calls.bin", data));
  for (const std::string tool : tools) {
    const LimitedRun run =
        run_limited({*program, "--tool", tool, "--report-api-errors", "no", "--print-limit", "4",
                     tools_dir_ + "/kernelevolve-cuda", "examine", folder.file("calls.bin")},
                    longest_pass, most_text);
    SanitizerReport report = report_of_tool(tool, run);
    if (report.status != Answer::clean) return report;
  }
  return SanitizerReport{Answer::clean, "", ""};
}

}  // namespace ke::gpu

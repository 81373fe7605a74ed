#include "fitness/gpu/nsight_compute.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <system_error>

#include "core/feedback_record.hpp"
#include "core/text.hpp"
#include "fitness/content/content_pool.hpp"
#include "fitness/content/secret_random.hpp"
#include "fitness/gpu/helper_process.hpp"
#include "fitness/gpu/ncu_metrics.hpp"
#include "fitness/gpu/worker_protocol.hpp"
#include "fitness/sandbox/job.hpp"

namespace ke::gpu {
namespace {

constexpr std::chrono::milliseconds answer_limit{30'000};

Result<WorkerAnswer> ask(HelperProcess& helper, const WorkerRequest& request) {
  bool ended = false;
  const auto frame = helper.ask(encode(request), answer_limit, ended);
  if (!frame) return Error{ke::Failure::device, "the GPU worker does not answer"};
  KE_TRY(WorkerAnswer answer, decode<WorkerAnswer>(*frame));
  if (answer.status == 0) return answer;
  return Error{ke::Failure::device, answer.stage + ": " + answer.text};
}

Result<std::unique_ptr<HelperProcess>> loaded(const GpuBuilt& built, const std::string& tools_dir,
                                              int index) {
  KE_TRY(auto helper,
         HelperProcess::start({tools_dir + "/kernelevolve-cuda", "run", std::to_string(index)}));
  KE_TRY_VOID(ask(*helper, {.kind = WorkerRequest::Kind::load, .cubins = built.cubins}));
  return helper;
}

constexpr std::chrono::seconds longest_run{120};
constexpr std::size_t most_ncu_text = std::size_t{1} << 20;
constexpr std::size_t most_reason = 200;
constexpr std::int64_t largest_profiled_bytes = std::int64_t{4} << 30;
constexpr int most_attempts = 6;  ///< tools may report one unknown metric at a time
constexpr int most_failures = 2;
constexpr const char* most_launches = "32";

/// Appends the programs in versioned folders, newest first.
void add_versions(const std::filesystem::path& folder, std::string_view beginning,
                  std::vector<std::string>& places) {
  std::vector<std::string> found;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    if (!at->path().filename().string().starts_with(beginning)) continue;
    found.push_back((at->path() / "ncu").string());
  }
  std::ranges::sort(found, std::greater<>());
  places.insert(places.end(), found.begin(), found.end());
}

/// Whether `word` occurs in the line as a whole word.
bool names(std::string_view line, std::string_view word) {
  for (std::size_t at = line.find(word); at != line.npos; at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !may_stand_in_identifier(line[at - 1]);
    if (begins && (end == line.size() || !may_stand_in_identifier(line[end]))) return true;
  }
  return false;
}

/// The tool's first error line; else the first line that the program printed.
std::string complaint(std::string_view text) {
  std::string first;
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view said = trim(line);
    if (said.starts_with("==ERROR==")) return std::string(trim(said.substr(9)));
    if (first.empty() && !said.starts_with("==")) first = said;
  }
  return first.empty() ? "it says nothing" : first;
}

KernelProfile no_profile(std::string why, bool for_good) {
  KernelProfile profile;
  profile.not_applicable = why.substr(0, most_reason);
  profile.for_good = for_good;
  return profile;
}

/// The largest bench workload that is small enough to pass as a file; null = none.
Result<const Workload*> profiled_workload(const Task& task) {
  const Workload* chosen = nullptr;
  std::int64_t most = 0;
  for (const Workload& workload : task.workloads) {
    if (workload.role != Role::bench) continue;
    KE_TRY(const Shapes shapes, resolve_shapes(task, workload));
    const std::int64_t bytes = shapes.bytes();
    if (bytes <= most || bytes > largest_profiled_bytes) continue;
    chosen = &workload;
    most = bytes;
  }
  return chosen;
}

}  // namespace

std::string first_nsight_compute(const std::vector<std::string>& places) {
  for (const std::string& place : places) {
    const LimitedRun run =
        run_limited({place, "--version"}, std::chrono::seconds(20), most_ncu_text);
    const bool is_it = run.output.find("Nsight Compute") != std::string::npos;
    if (run.code == 0 && run.in_time && is_it) return place;
  }
  return "";
}

Result<std::string> find_nsight_compute() {
  std::vector<std::string> places{"ncu", "/usr/local/cuda/bin/ncu"};
  add_versions("/usr/local/cuda", "nsight-compute", places);
  add_versions("/opt/nvidia/nsight-compute", "", places);
  places.emplace_back("/opt/cuda/nsight_compute/ncu");
  const std::string found = first_nsight_compute(places);
  if (!found.empty()) return found;
  return Error{Failure::device,
               "ncu is neither in PATH nor in /usr/local/cuda nor in /opt/nvidia/nsight-compute; "
               "install Nsight Compute (package nsight-compute, or the CUDA toolkit)"};
}

// ==ERROR== Failed to find metric regex:^some__name\.(sum|min|max|avg)$
std::vector<std::string> unknown_metrics(std::string_view text,
                                         const std::vector<std::string>& asked) {
  std::vector<std::string> unknown;
  for (const std::string& name : asked) {
    const std::string_view base = std::string_view(name).substr(0, name.find('.'));
    const auto blames = [&](std::string_view line) {
      return line.starts_with("==ERROR==") && line.find("metric") != line.npos && names(line, base);
    };
    if (std::ranges::any_of(split(text, '\n'), blames)) unknown.push_back(name);
  }
  return unknown;
}

KernelProfile profile_of_run(const LimitedRun& run) {
  KernelProfile profile;
  profile.measures = ncu_measures(parse_ncu_csv(run.output));
  profile.sentences = ncu_sentences(profile.measures);
  if (!profile.measures.empty()) return profile;
  if (!run.in_time) return no_profile("ncu took longer than 120 s", false);
  if (run.output.find("ERR_NVGPUCTRPERM") != std::string::npos) {
    return no_profile(
        "the driver lets only administrators read counters (ERR_NVGPUCTRPERM); load the module "
        "nvidia with NVreg_RestrictProfilingToAdminUsers=0",
        true);
  }
  return no_profile("ncu read no counters: " + complaint(run.output), false);
}

void take_kernel_profile(const KernelProfile& profile, Fact& fact) {
  for (const auto& [name, value] : profile.measures) fact.measures[name] = value;
  add_profile(fact.feedback, profile.sentences);
  if (profile.not_applicable.empty()) return;
  fact.policy_flags.push_back(fmt::format("{}: {}", unprofiled_flag, profile.not_applicable));
}

Result<std::string> NsightCompute::calls(const GpuBuilt& built, const Workload& workload,
                                         int index) const {
  KE_TRY(SecretRandom random, SecretRandom::from_system());
  PoolOptions options;
  options.entries = 1;
  options.cases = {0};
  options.inputs_only = true;
  const Reference never_asked;
  KE_TRY(const ContentPool pool,
         ContentPool::create(task_, workload, never_asked, random, options));
  // For the occupancy, a helper process loads the modules and asks the driver.
  std::unique_ptr<HelperProcess> helper;
  PlanContext context{&task_, &workload, built.knobs, gpu_.terms, {}};
  context.occupancy = [&](const std::string& kernel, std::int64_t threads,
                          std::int64_t shared) -> Result<std::int64_t> {
    if (!helper) {
      KE_TRY(helper, loaded(built, tools_dir_, index));
    }
    KE_TRY(const WorkerAnswer answer, ask(*helper, {.kind = WorkerRequest::Kind::occupancy,
                                                    .bytes = shared,
                                                    .threads = threads,
                                                    .name = kernel}));
    return answer.number;
  };
  KE_TRY(const ResolvedPlan plan, resolve_plan(built.plan, context));
  ExaminedCalls all{index, built.cubins, {}};
  all.add(plan, *pool.entries().front());
  return encode(all);
}

// Fixes the locale, which affects printed numbers; leaves clocks alone, because others may be
// timing kernels on this machine.
KernelProfile NsightCompute::run(const std::string& program, const std::string& calls) {
  const std::vector<std::string> all = ncu_metric_names();
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    std::vector<std::string> asked;
    std::ranges::copy_if(all, std::back_inserter(asked),
                         [&](const std::string& name) { return !unknown_.contains(name); });
    if (asked.empty()) break;
    const LimitedRun run = run_limited(
        {"env", "LC_ALL=C", program, "--clock-control", "none", "--cache-control",
         cold_ ? "all" : "none", "--csv", "--page", "raw", "--print-units", "base",
         "--launch-count", most_launches, "--metrics", fmt::format("{}", fmt::join(asked, ",")),
         tools_dir_ + "/kernelevolve-cuda", "examine", calls},
        longest_run, most_ncu_text);
    KernelProfile profile = profile_of_run(run);
    const std::vector<std::string> unknown = unknown_metrics(run.output, asked);
    if (!profile.measures.empty() || unknown.empty()) return profile;
    unknown_.insert(unknown.begin(), unknown.end());
  }
  return no_profile("ncu knows too few of the metrics that are read", true);
}

Result<KernelProfile> NsightCompute::measure(const GpuBuilt& built, int index) {
  const auto program = find_();
  if (!program) return no_profile(program.error().message, true);
  KE_TRY(const Workload* const workload, profiled_workload(task_));
  if (workload == nullptr) return no_profile("all bench workloads are above 4 GiB", true);
  KE_TRY(const JobFolder folder, JobFolder::create("/tmp"));
  KE_TRY(const std::string data, calls(built, *workload, index));
  KE_TRY_VOID(folder.write("calls.bin", data));
  KernelProfile profile = run(*program, folder.file("calls.bin"));
  if (!profile.sentences.empty()) {
    std::string& first = profile.sentences.front();
    first = fmt::format("At {}: {}", workload->label, first);
  }
  return profile;
}

KernelProfile NsightCompute::profile(const GpuBuilt& built, int index) {
  const std::lock_guard alone(mutex_);
  if (failures_ >= most_failures) return {};
  auto measured = measure(built, index);
  KernelProfile profile =
      measured ? *std::move(measured) : no_profile(measured.error().message, false);
  const bool failed = !profile.not_applicable.empty();
  failures_ = profile.for_good ? most_failures : failed ? failures_ + 1 : 0;
  return profile;
}

}  // namespace ke::gpu

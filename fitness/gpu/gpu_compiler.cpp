#include "fitness/gpu/gpu_compiler.hpp"

#include <algorithm>

#include "core/language.hpp"
#include "fitness/descriptors/elf.hpp"
#include "fitness/gpu/structure.hpp"
#include "fitness/job_queues.hpp"
#include "fitness/judging/feedback.hpp"
#include "fitness/pure_evaluator.hpp"

namespace ke::gpu {
namespace {

/// Encodes a module without the note that holds its compiler's command line, because other flags
/// may give the same code.
void encode_module(const std::string& module, Encoder& all) {
  const auto file = read_elf(module);
  if (!file) {
    all(module);
    return;
  }
  all(file->sections.size());
  for (const ElfSection& section : file->sections) {
    if (section.name == ".note.nv.tkinfo") continue;
    all(section.name)(section.type)(section.flags)(section.address)(section.size);
    all(section.alignment)(section.link)(section.info)(section.content);
  }
}

}  // namespace

bool is_dsl(std::string_view language) {
  const Language* const found = find_language(language);
  return found != nullptr && found->compiler == "python";
}

GpuBuilt hashed(const Task& task, GpuBuilt built, const DeviceTerms& device,
                const PtxOutput& output) {
  Encoder all;
  all("cuda-build/2")(built.cubins.size());
  for (const std::string& cubin : built.cubins) encode_module(cubin, all);
  const auto plans = plans_of(task, built.plan, built.knobs, device);
  if (!plans) return refused_build<GpuBuilt>(Verdict::rejected, "bad_plan", plans.error().message);
  for (const ResolvedPlan& plan : *plans) all(plan);
  built.build_hash = all.digest();
  if (output.ptx.empty()) return built;
  std::vector<ResolvedPlan> timed;
  for (std::size_t i = 0; i < plans->size(); ++i) {
    if (task.workloads[i].role == Role::bench) timed.push_back((*plans)[i]);
  }
  built.measures.merge(structure_measures(output.ptx, output.log, timed, device));
  return built;
}

std::unique_ptr<Evaluator> compile_only(
    EvaluatorInfo info, std::shared_ptr<const Task> task,
    std::function<Result<GpuBuilt>(const Kernel& kernel)> build) {
  info.noisy = false;
  return make_pure_evaluator(std::move(info), [=](const Job& job) {
    if (job.kind != JobKind::build) {
      return lost_fact(job.key, {ke::Failure::device, "kernels are compiled here and not run"});
    }
    const auto built = build(job.kernel);
    if (!built) return lost_fact(job.key, built.error());
    Fact fact;
    fact.key = job.key;
    take_build(*built, fact);
    fact.cost.compile_ns = built->compile_ns;
    fact.feedback = feedback_of({&fact, &*built, nullptr, -1, task.get(), ""});
    return fact;
  });
}

std::string refused_modules(const std::vector<std::string>& cubins) {
  using namespace std::string_view_literals;
  const bool prints = std::ranges::any_of(
      cubins, [](std::string_view cubin) { return cubin.find("\0vprintf\0"sv) != cubin.npos; });
  return prints ? "the kernel calls printf: kernels print nothing" : "";
}

}  // namespace ke::gpu

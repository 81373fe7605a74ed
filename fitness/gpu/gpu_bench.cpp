#include "fitness/gpu/gpu_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "fitness/host/python_baseline.hpp"
#include "fitness/timing/clock.hpp"

namespace ke::gpu {
namespace {

constexpr std::int64_t question_ms = 5000;

/// The finding for an answer other than success.
Finding finding_of(const WorkerAnswer& answer) {
  const std::string where = answer.stage.empty() ? "" : " (" + answer.stage + ")";
  const auto make = [&](Verdict verdict, const char* reason) {
    return Finding{verdict, reason, answer.text + where};
  };
  if (answer.status == worker_silent) return make(Verdict::timeout, "call_timeout");
  if (answer.status == worker_ended) return make(Verdict::runtime_error, "worker_ended");
  if (answer.stage == "load") return make(Verdict::load_error, "bad_module");
  if (answer.stage.starts_with("find")) return make(Verdict::load_error, "no_such_kernel");
  if (answer.status == out_of_memory) return make(Verdict::resource_limit, "out_of_memory");
  if (answer.stage != "run") return make(Verdict::runtime_error, "launch_failed");
  if (answer.status == illegal_address) return make(Verdict::runtime_error, "illegal_address");
  if (answer.status == assert_failed) return make(Verdict::runtime_error, "device_assert");
  return make(Verdict::runtime_error, "device_error");
}

std::int64_t bytes_of(const ResolvedArgument& argument) {
  if (argument.kind == ResolvedArgument::Kind::map) return sizeof(TensorMap);
  return argument.kind == ResolvedArgument::Kind::word32 ? 4 : 8;
}

std::optional<Finding> finding_of(const CallFindings& seen) {
  if (seen.mismatch) {
    Finding finding{Verdict::wrong_result, "mismatch", seen.mismatch->text()};
    finding.mismatch = seen.mismatch;
    return finding;
  }
  if (seen.changed_inputs > 0) {
    return Finding{Verdict::wrong_result, "input_changed",
                   fmt::format("{} elements of input '{}' were overwritten", seen.changed_inputs,
                               seen.changed_input)};
  }
  if (seen.broken_gaps > 0) {
    return Finding{
        Verdict::wrong_result, "out_of_bounds",
        fmt::format("{} bytes beside the tensors were overwritten", 2 * seen.broken_gaps)};
  }
  return std::nullopt;
}

}  // namespace

Result<WorkerAnswer> GpuBench::ask(int arm, const WorkerRequest& request, std::int64_t limit_ms) {
  return workers_[static_cast<std::size_t>(arm)]->ask(request, std::chrono::milliseconds(limit_ms));
}

Result<std::optional<Finding>> GpuBench::load(int arm, const GpuBuiltPtr& built, bool fresh) {
  const AddTime took(time.load);
  Arm& at = arms_[arm];
  if (at.built == nullptr || at.built->build_hash != built->build_hash) at.plans.clear();
  at.built = built;
  if (built->module) {
    KE_TRY_VOID(baselines_.start());
    KE_TRY_VOID(baselines_.ready());
    return std::optional<Finding>();
  }
  KE_TRY(const WorkerAnswer answer,
         workers_[static_cast<std::size_t>(arm)]->load(built->build_hash, built->cubins, fresh));
  if (answer.status == success) return std::optional<Finding>();
  return std::optional(finding_of(answer));
}

// The driver copies as many bytes as the kernel declares; with fewer in the plan, it would read
// garbage.
GpuBench::Checked GpuBench::check_parameters(int arm, const ResolvedPlan& plan) {
  for (const ResolvedStep& step : plan.steps) {
    if (step.kernel.empty()) continue;
    KE_TRY(const WorkerAnswer answer,
           ask(arm, {.kind = WorkerRequest::Kind::parameters, .name = step.kernel}, question_ms));
    if (answer.status != success) return std::optional(finding_of(answer));
    const auto& declared = answer.parameter_bytes;
    const auto fail = [&](const std::string& text) {
      return std::optional(Finding{Verdict::rejected, "bad_plan", step.kernel + text});
    };
    if (declared.size() != step.arguments.size()) {
      return fail(fmt::format(" takes {} parameters, the plan gives {}", declared.size(),
                              step.arguments.size()));
    }
    for (std::size_t i = 0; i < declared.size(); ++i) {
      const std::int64_t given = bytes_of(step.arguments[i]);
      if (declared[i] != given) {
        return fail(fmt::format(": parameter {} has {} bytes, the plan gives {}", i + 1,
                                declared[i], given));
      }
    }
  }
  return std::optional<Finding>();
}

GpuBench::Checked GpuBench::plan_for(int arm, const Workload& workload, const ResolvedPlan*& plan) {
  Arm& at = arms_[arm];
  const auto known = at.plans.find(workload.label);
  if (known != at.plans.end()) {
    plan = &known->second;
    return std::optional<Finding>();
  }
  const AddTime took(time.load);
  std::optional<Finding> refusal;
  PlanContext context{&task, &workload, at.built->knobs, gpu.terms, {}};
  context.occupancy = [&](const std::string& kernel, std::int64_t threads,
                          std::int64_t shared) -> Result<std::int64_t> {
    const WorkerRequest question{.kind = WorkerRequest::Kind::occupancy,
                                 .bytes = shared,
                                 .threads = threads,
                                 .name = kernel};
    KE_TRY(const WorkerAnswer answer, ask(arm, question, question_ms));
    if (answer.status != success) return Error{ke::Failure::config, answer.text};
    return answer.number;
  };
  auto resolved = resolve_plan(at.built->plan, context);
  if (!resolved)
    return std::optional(Finding{Verdict::rejected, "bad_plan", resolved.error().message});
  KE_TRY(refusal, check_parameters(arm, *resolved));
  if (refusal) return refusal;
  plan = &at.plans.emplace(workload.label, *std::move(resolved)).first->second;
  return refusal;
}

Result<GpuSample> GpuBench::call(int arm, const Workload& workload, const FreshContent& content,
                                 const CallRules& rules) {
  GpuSample sample;
  Arm& at = arms_[arm];
  // A worker that an earlier call ended needs its module again.
  KE_TRY(sample.finding, load(arm, at.built, false));
  if (at.built->module) return call_baseline(*at.built->module, workload, content, rules);
  const ResolvedPlan* plan = nullptr;
  if (!sample.finding) {
    KE_TRY(sample.finding, plan_for(arm, workload, plan));
  }
  if (sample.finding) return sample;
  const auto layout = memory.layout(content.shapes(), plan->scratch_bytes);
  if (!layout) {  // the tensors fit, so the kernel asks for too much scratch
    sample.finding = Finding{Verdict::resource_limit, "out_of_memory", layout.error().message};
    return sample;
  }
  {
    const AddTime took(time.place);
    KE_TRY_VOID(memory.place(content, plan->scratch_bytes, *layout));
  }
  const WorkerRequest request{
      .kind = WorkerRequest::Kind::call,
      .set = static_cast<std::int64_t>(contents.random().below(address_sets)),
      .flush_bytes = rules.cold ? gpu.flush_bytes : 0,
      .plan = *plan,
      .offsets = layout->offsets};
  const std::int64_t begin = now_ns();
  KE_TRY(const WorkerAnswer answer, ask(arm, request, rules.limit_ms));
  sample.host_ns = now_ns() - begin;
  time.call += sample.host_ns;
  sample.event_ns = answer.event_ns;
  ++at.calls;
  if (answer.status == success) {
    const AddTime took(time.inspect);
    KE_TRY(const CallFindings seen, memory.inspect(content, *layout));
    if (seen.may_be_rounding) {
      // The oracle uses the memory that the call's tensors were in.
      KE_TRY(const bool measured, contents.measure_room(*content.entry));
      if (measured) return call(arm, workload, content, rules);
    }
    sample.margin = seen.margin;
    sample.finding = finding_of(seen);
  } else {
    sample.finding = finding_of(answer);
  }
  if (!sample.finding && sample.event_ns > sample.host_ns) {
    sample.finding = Finding{Verdict::suspicious, "clocks_disagree",
                             "the device's clock shows more time than passed"};
  }
  if (sample.finding) {
    locate(*sample.finding, workload, content.entry->label, layout->at_end ? "end" : "start",
           at.calls);
  }
  return sample;
}

// Does not compare outputs: PyTorch may round products to TensorFloat-32 by default.
Result<GpuSample> GpuBench::call_baseline(const std::string& name, const Workload& workload,
                                          const FreshContent& content, const CallRules& rules) {
  KE_TRY(const Layout layout, memory.layout(content.shapes(), {}));
  {
    const AddTime took(time.place);
    KE_TRY_VOID(memory.place(content, {}, layout));
  }
  const AddTime took(time.call);
  Json request = baselines_.request_at(content.shapes());
  request["compile_mode"] = compile_mode(name);
  request["tf32"] = task.tf32 || uses_tf32(name);
  request["offsets"] = layout.offsets;
  request["flush_bytes"] = rules.cold ? gpu.flush_bytes : 0;
  const Json answer = baselines_.ask(request);
  GpuSample sample;
  sample.event_ns = answer.value("event_ns", std::int64_t{0});
  sample.host_ns = answer.value("host_ns", std::int64_t{0});
  if (const std::string failure = answer.value("failure", ""); !failure.empty()) {
    sample.finding = Finding{Verdict::runtime_error, "baseline_failed",
                             fmt::format("{} at {}", failure, workload.label)};
  }
  return sample;
}

}  // namespace ke::gpu

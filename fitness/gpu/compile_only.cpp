#include "fitness/gpu/compile_only.hpp"

#include "fitness/job_queues.hpp"
#include "fitness/judging/feedback.hpp"
#include "fitness/pure_evaluator.hpp"

namespace ke::gpu {

std::unique_ptr<Evaluator> compile_only(EvaluatorInfo info, std::shared_ptr<const Task> task,
                                        BuildKernel build) {
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

}  // namespace ke::gpu

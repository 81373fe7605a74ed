#include "experiments/study/landscape/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>

#include "core/portable_math.hpp"
#include "core/search/job_maker.hpp"
#include "experiments/run/progress.hpp"
#include "experiments/study/landscape/recording_file.hpp"

namespace ke {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t most_in_flight = 8;
constexpr std::int64_t most_looks = 2;

class Recorder {
 public:
  Recorder(const RecordRequest& request, const StopToken& stop, std::ostream& progress, bool redraw)
      : request_(request), stop_(stop), out_(progress), redraw_(redraw) {}

  Result<RecordReport> run() {
    KE_TRY_VOID(prepare());
    while (!stop_.stop_requested() && (next_ < todo_.size() || !asked_.empty())) {
      KE_TRY_VOID(fill());
      for (const Fact& fact : evaluator_->poll(std::chrono::milliseconds(200))) {
        KE_TRY_VOID(reference_health(fact));
        KE_TRY_VOID(take(fact));
      }
      show(false);
    }
    show(true);
    return finish();
  }

 private:
  /// A configuration that is being measured.
  struct Pending {
    std::size_t point = 0;
    Fact built;
    std::int64_t look = 0;
  };

  Result<void> prepare() {
    const auto& kernels = request_.task->kernels;
    const auto source = std::find_if(kernels.begin(), kernels.end(), [&](const auto& kernel) {
      return kernel.first == request_.kernel;
    });
    if (source == kernels.end()) {
      return Error{Failure::usage,
                   fmt::format("task {} has no kernel '{}'", request_.task->name, request_.kernel)};
    }
    KE_TRY(space_, parse_kernel_space(request_.kernel, source->second));
    const Kernel base = space_.defaults(request_.kernel, source->second);
    KE_TRY(points_, plan_recording(space_, base, request_.limit, request_.seed));
    KE_TRY(evaluator_, make_cpu_evaluator(request_.task, request_.options));
    jobs_ = std::make_unique<JobMaker>(evaluator_->info(), request_.task->content_hash);
    KE_TRY(auto journal, RecordingJournal::open(request_.file + ".partial", header()));
    journal_ = std::make_unique<RecordingJournal>(std::move(journal));
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (!journal_->results().contains(points_[i].genome_hash())) todo_.push_back(i);
    }
    report_.planned = static_cast<std::int64_t>(points_.size());
    return {};
  }

  Json header() const {
    return {{"timeunit", "milliseconds"},
            {"kernel", request_.task->name + "/" + request_.kernel},
            {"device", evaluator_->info().device_class},
            {"toolchain", evaluator_->info().toolchain},
            {"content_hash", request_.task->content_hash.hex()},
            {"protocol_version", evaluator_->info().protocol_version},
            {"seed", request_.seed},
            {"limit", request_.limit}};
  }

  Result<void> fill() {
    while (next_ < todo_.size() && asked_.size() < most_in_flight) {
      Pending pending{todo_[next_++], {}, 0};
      const Job job = jobs_->build(points_[pending.point]);
      asked_.emplace(job.key, std::move(pending));
      KE_TRY_VOID(evaluator_->submit(job));
    }
    return {};
  }

  Result<void> take(const Fact& fact) {
    auto node = asked_.extract(fact.key);
    if (node.empty()) return {};
    Pending pending = std::move(node.mapped());
    if (pending.built.verdict != Verdict::ok) return take_build(std::move(pending), fact);
    return take_screen(std::move(pending), fact);
  }

  Result<void> take_build(Pending pending, const Fact& fact) {
    pending.built = fact;
    if (fact.verdict != Verdict::ok) return keep(pending, fact);
    if (const auto twin = timed_.find(fact.build_hash); twin != timed_.end()) {
      return keep(pending, twin->second);
    }
    auto& twins = waiting_[fact.build_hash];
    twins.push_back(std::move(pending));
    return twins.size() > 1 ? Result<void>() : ask_screen(twins.front());
  }

  Result<void> ask_screen(const Pending& pending) {
    const Job job = jobs_->screen(points_[pending.point], pending.built.build_hash, pending.look);
    asked_.emplace(job.key, pending);
    return evaluator_->submit(job);
  }

  Result<void> take_screen(Pending pending, const Fact& fact) {
    const bool again = is_worth_asking_again(fact.verdict);
    if (again && ++pending.look < most_looks) return ask_screen(pending);
    ++report_.timed;
    if (fact.comparison && journal_->reference_ms() == 0) {
      KE_TRY_VOID(journal_->set_reference(opponent_ms(*fact.comparison)));
    }
    timed_.emplace(pending.built.build_hash, fact);
    for (const Pending& twin : waiting_[pending.built.build_hash]) KE_TRY_VOID(keep(twin, fact));
    waiting_.erase(pending.built.build_hash);
    return {};
  }

  Result<void> keep(const Pending& pending, const Fact& fact) {
    const Kernel& kernel = points_[pending.point];
    if (fact.verdict == Verdict::ok) best_ = std::max(best_, fact.comparison->speedup);
    return journal_->append(kernel.genome_hash(),
                            recording_line(configuration_json(space_, kernel), pending.built, fact,
                                           journal_->reference_ms()));
  }

  void count() {
    report_.failed = 0;
    for (const auto& [genome, result] : journal_->results()) {
      report_.failed += result["correctness"] == 1 ? 0 : 1;
    }
    report_.recorded = static_cast<std::int64_t>(journal_->results().size());
    report_.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  }

  void show(bool last) {
    const auto pause = redraw_ ? std::chrono::milliseconds(500) : std::chrono::seconds(10);
    if (!last && Clock::now() - shown_ < pause) return;
    shown_ = Clock::now();
    count();
    const auto before = static_cast<std::int64_t>(points_.size() - todo_.size());
    const double rate = static_cast<double>(report_.recorded - before) / report_.seconds;
    const double left = static_cast<double>(report_.planned - report_.recorded);
    const std::string eta =
        rate > 0 ? clock_text(static_cast<std::int64_t>(left / rate)) : std::string("?");
    out_ << (redraw_ ? "\r" : "")
         << fmt::format("{}/{}: {} of {}, {} failed, {} timed, best {:.3f} x, {:.2f}/s, ETA {}   ",
                        request_.task->name, request_.kernel, report_.recorded, report_.planned,
                        report_.failed, report_.timed, best_, rate, eta)
         << (redraw_ && !last ? "" : "\n") << std::flush;
  }

  Result<RecordReport> finish() {
    report_.complete = report_.recorded == report_.planned;
    if (!report_.complete) return report_;
    std::vector<Json> results;
    for (const auto& [genome, result] : journal_->results()) results.push_back(result);
    std::sort(results.begin(), results.end(), [](const Json& a, const Json& b) {
      return json_text(a["configuration"]) < json_text(b["configuration"]);
    });
    Json metadata = header();
    metadata["reference_ms"] = journal_->reference_ms();
    KE_TRY_VOID(write_landscape(request_.file, metadata, results));
    return report_;
  }

  const RecordRequest& request_;
  const StopToken& stop_;
  std::ostream& out_;
  bool redraw_;
  KernelSpace space_;
  std::vector<Kernel> points_;
  std::vector<std::size_t> todo_;
  std::size_t next_ = 0;
  std::unique_ptr<CpuEvaluator> evaluator_;
  std::unique_ptr<JobMaker> jobs_;
  std::unique_ptr<RecordingJournal> journal_;
  std::map<Digest, Pending> asked_;
  std::map<Digest, std::vector<Pending>> waiting_;  ///< by build, until its screen has finished
  std::map<Digest, Fact> timed_;                    ///< by build
  RecordReport report_;
  double best_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = start_;
};

}  // namespace

Result<RecordReport> record_landscape(const RecordRequest& request, const StopToken& stop,
                                      std::ostream& progress, bool redraw) {
  return Recorder(request, stop, progress, redraw).run();
}

}  // namespace ke

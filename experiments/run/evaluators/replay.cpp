#include "archive/run_reader.hpp"
#include "experiments/run/assemble.hpp"
#include "experiments/run/evaluators/evaluator_kind.hpp"
#include "experiments/run/recording.hpp"
#include "experiments/run/stored_run.hpp"

namespace ke {
namespace {

/// The file of another run, with its experiment.
struct Recorded {
  std::shared_ptr<const RunReader> reader;
  RunHeader header;
  Experiment experiment;
};

std::string run_file(Params& device) {
  return device.required_text("run", "run file whose recorded facts answer");
}

Result<Recorded> open(Params& device) {
  const std::string file = run_file(device);
  Recorded recorded;
  KE_TRY(recorded.reader, RunReader::open(file));
  KE_TRY(recorded.header, recorded.reader->header());
  KE_TRY(recorded.experiment, stored_experiment(recorded.header, file, {}));
  if (recorded.experiment.devices.size() > 1) {
    return Error{Failure::config, file + ": a run on several devices cannot be a device"};
  }
  return recorded;
}

/// Answers with the facts of a recorded run; its measures are those of that run.
class ReplayKind final : public EvaluatorKind {
 public:
  void declare(Params& device) const override { run_file(device); }

  std::vector<std::string> default_tasks(Params& device) const override {
    const auto recorded = open(device);
    return recorded ? std::vector{recorded->header.task} : std::vector<std::string>{"replay"};
  }

  Result<Subject> subject(Params& device, const std::string&, const std::string&) const override {
    KE_TRY(const Recorded recorded, open(device));
    return stored_subject(recorded.experiment, recorded.header, recorded.reader->path(), "");
  }

  Result<StartedEvaluator> start(Params& device, const Subject&,
                                 const EvaluatorSetup&) const override {
    KE_TRY(const Recorded recorded, open(device));
    KE_TRY(Recording recording, recording_of(recorded.reader));
    return StartedEvaluator{make_replay_evaluator(std::move(recording)), "none needed"};
  }

  std::vector<AxisInfo> measures(Params& device) const override {
    const auto recorded = open(device);
    return recorded ? measures_of(recorded->experiment) : std::vector<AxisInfo>();
  }

  std::string default_axes(Params& device) const override {
    const auto recorded = open(device);
    if (!recorded) return "[]";
    ParamLog log;
    Params top(&recorded->experiment.document, "", log);
    Params own = top.section("device");
    return evaluator_kind(recorded->experiment)->default_axes(own);
  }
  std::string_view default_rule() const override { return "noisy_duel"; }
  bool simulated() const override { return true; }
};

}  // namespace

std::unique_ptr<EvaluatorKind> make_replay_kind() { return std::make_unique<ReplayKind>(); }

}  // namespace ke

#include "experiments/study/landscape/run_landscape.hpp"

#include <fmt/format.h>

#include <set>

#include "archive/run_rows.hpp"
#include "core/knob_space.hpp"
#include "experiments/study/landscape/recording_file.hpp"

namespace ke {
namespace {

/// Latest facts of each kind for one evaluation.
struct Judged {
  std::optional<Fact> built;
  std::optional<Fact> screened;
};

/// True for the second screen, at the validation workloads.
bool is_at_validation(const Fact& fact) {
  if (!fact.comparison || fact.comparison->workloads.empty()) return false;
  return fact.comparison->workloads.front().role == "validation";
}

Result<Judged> judged(const RunReader& reader, const LogicalId& id) {
  KE_TRY(const auto facts, reader.facts(id));
  Judged judged;
  for (const FactView& view : facts) {
    if (view.purpose == JobKind::build) judged.built = view.fact;
    if (view.purpose == JobKind::screen && !is_at_validation(view.fact))
      judged.screened = view.fact;
  }
  return judged;
}

/// Candidate that holds the facts: a binary duplicate is not measured again.
const LogicalId& evaluated(const Candidate& candidate) {
  return candidate.duplicate_of ? *candidate.duplicate_of : candidate.id;
}

class RunRecorder {
 public:
  RunRecorder(const RunReader& reader, const Kernel& of, KernelSpace space)
      : reader_(reader), of_(of), space_(std::move(space)) {}

  Result<void> add(const Candidate& candidate) {
    if (candidate.outcome == OutcomeKind::no_child) return {};
    if (!seen_.insert(candidate.genome_hash).second) return {};
    const Kernel& kernel = candidate.kernel;
    if (kernel.source != of_.source || kernel.flags.size() != of_.flags.size()) {
      ++made_.other_sources;
      return {};
    }
    KE_TRY(const Judged facts, judged(reader_, evaluated(candidate)));
    if (!facts.built) return {};
    const Fact& last = facts.screened ? *facts.screened : *facts.built;
    if (reference_ms_ <= 0 && last.comparison) reference_ms_ = opponent_ms(*last.comparison);
    made_.results.push_back(recording_line(configuration_json(space_, kernel), *facts.built, last,
                                           reference_ms_ > 0 ? reference_ms_ : 1));
    return {};
  }

  RunLandscape take(Json metadata) && {
    metadata["reference_ms"] = reference_ms_ > 0 ? reference_ms_ : 1;
    made_.metadata = std::move(metadata);
    return std::move(made_);
  }

 private:
  const RunReader& reader_;
  const Kernel& of_;
  KernelSpace space_;
  std::set<Digest> seen_;
  double reference_ms_ = 0;
  RunLandscape made_;
};

Result<Json> metadata_of(const RunReader& reader, const Kernel& kernel) {
  KE_TRY(const RunHeader header, reader.header());
  KE_TRY(const RunRows rows, read_rows(reader));
  return Json{{"timeunit", "milliseconds"},
              {"kernel", header.task + "/" + kernel.name},
              {"device", rows.evaluator.device_class},
              {"toolchain", rows.evaluator.toolchain},
              {"protocol_version", rows.evaluator.protocol_version},
              {"content_hash", header.task_hash.hex()},
              {"run", reader.run_id()},
              {"config_id", header.config_id.hex()},
              {"seed", header.seed}};
}

}  // namespace

Result<RunLandscape> landscape_of(const RunReader& reader, const CandidateView& of) {
  const Kernel& kernel = of.candidate->kernel;
  KE_TRY(KernelSpace space, parse_kernel_space(kernel.name, kernel.source));
  if (space.knobs.empty() && kernel.flags.empty()) {
    return Error{Failure::usage,
                 fmt::format("the source of candidate {} declares neither knobs nor flags: a "
                             "landscape needs a parameter",
                             of.candidate->id.text())};
  }
  KE_TRY(Json metadata, metadata_of(reader, kernel));
  RunRecorder recorder(reader, kernel, std::move(space));
  for (std::int64_t row = 1;; ++row) {
    KE_TRY(const auto view, reader.candidate_at(row));
    if (!view) break;
    KE_TRY_VOID(recorder.add(*view->candidate));
  }
  return std::move(recorder).take(std::move(metadata));
}

}  // namespace ke

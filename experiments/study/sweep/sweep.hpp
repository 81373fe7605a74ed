#pragma once
// A sweep: a base experiment, arms that differ from it, tasks, seeds, and the analysis declared
// before the data exist.
// Preregistered analysis of a sweep: written down and hashed before the runs begin. The Python
// package carries it out (experiments/python/kernelevolve/analysis.py).

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/hash.hpp"
#include "core/params.hpp"
#include "experiments/run/config/experiment.hpp"
#include "experiments/run/evaluators/evaluator_kind.hpp"
#include "experiments/study/sweep/slurm_options.hpp"

namespace ke {

/// The sampling unit that conclusions generalise over.
enum class Unit { task, device, seed, chain };

std::string_view to_string(Unit unit);

/// The part of the `analysis:` block that the rules of a sweep need. read_analysis states all keys
/// with defaults, ranges and docs.
struct Analysis {
  std::string reference;          ///< arm that the others are compared with
  std::vector<std::string> arms;  ///< arms to compare with it; empty = all others
  Unit unit = Unit::task;
  bool paired = true;  ///< arms are compared by task, device and seed
  bool holm = true;
  double alpha = 0.05;
  /// Sorted `analysis.key = value` lines, defaults included.
  std::string canonical_text;

  Digest hash() const { return sha256(canonical_text); }
};

/// Reads the section `analysis` of `top`. Errors go to the log behind `top`.
Analysis read_analysis(Params& top);

/// One key that an arm sets, with the value as written in its file.
struct ArmSetting {
  std::string path;
  Node value;
};

/// One arm as declared: an entry of `arms` at one row of `zip` and one point of `grid`.
struct ArmSpec {
  std::string name;
  std::vector<ArmSetting> settings;
};

struct SweepArm {
  ArmSpec spec;
  std::vector<Experiment> experiments;  ///< one per task, in the order of Sweep::subjects
};

/// Quantities that must be equal over all arms, besides the budget.
struct HeldFixed {
  bool total_cells = false;  ///< number of islands times cells of an island's archive
};

struct Sweep {
  std::string name;
  std::string path;                                ///< path of the document
  std::vector<std::string> tasks;                  ///< as the sweep's file names them
  std::vector<std::shared_ptr<Subject>> subjects;  ///< by arm and task: index arm * tasks + task
  std::vector<std::int64_t> seeds;
  std::string currency;             ///< evaluations | proposals
  std::vector<std::string> factor;  ///< paths in which arms may differ; empty = each arm's settings
  HeldFixed hold;
  bool chained = false;  ///< runs of an arm and seed use the lessons of earlier tasks
  std::vector<SweepArm> arms;
  std::map<std::string, std::string> labels;  ///< names of arms in figures and LaTeX tables
  Analysis analysis;
  SlurmOptions slurm;

  const Subject& subject(std::size_t arm, std::size_t task) const {
    return *subjects[arm * tasks.size() + task];
  }
  /// Index of analysis.reference.
  std::size_t reference() const;
  /// Hash of everything fixed before the first run: the analysis, and the configuration, task and
  /// seed of every run.
  Digest plan_hash() const;
};

/// One run of the matrix.
struct SweepRun {
  std::size_t arm = 0;
  std::size_t task = 0;
  std::int64_t seed = 0;
  std::string file;  ///< name inside the sweep's folder
};

/// All runs, with seeds outermost, so that a sweep stopped early has complete replicates.
std::vector<SweepRun> runs_of(const Sweep& sweep);

/// Groups runs into sequences: the tasks of an arm and seed in a chained sweep, otherwise single
/// runs. Sorted by first run.
std::vector<std::vector<SweepRun>> chains_of(const Sweep& sweep);

/// Reads a sweep with `a.b=1` overrides, which apply to all arms (or to `analysis.` and other keys
/// of the sweep itself). Reports all errors at once, one per line, each with its place.
Result<Sweep> read_sweep(const std::string& path, const std::vector<std::string>& overrides);

/// True if the document at `path` declares a sweep.
bool is_sweep(const std::string& path);

/// All options of a sweep, for `list`.
std::vector<Option> sweep_options();

}  // namespace ke

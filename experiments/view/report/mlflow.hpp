#pragma once
// Exports a run to MLflow's file store; `mlflow ui --backend-store-uri FOLDER` shows it.

#include <string>

#include "archive/run_reader.hpp"

namespace ke {

/// Writes FOLDER/<experiment>/<run>/{meta.yaml, metrics, params, tags}; the experiment is the task.
/// Metrics, with the number of evaluations as step: best, qd_score and filled_cells of the shared
/// archive; verified/<role>/<baseline> at the end. Params: the configuration's lines. Error if the
/// run exists already; files are never overwritten.
Result<void> write_mlflow_run(const RunReader& reader, const std::string& folder);

}  // namespace ke

#pragma once
// A run in the file store of MLflow: `mlflow ui --backend-store-uri FOLDER` shows it.

#include <string>

#include "archive/run_reader.hpp"

namespace ke {

/// Writes FOLDER/<experiment>/<run>/{meta.yaml, metrics, params, tags}; the experiment is the task.
/// Metrics, at the number of evaluations as step: best, qd_score and filled_cells of the common
/// archive; verified/<role>/<baseline> at the end. Params: the configuration's lines. Error when
/// the run is there already; files are never overwritten.
Result<void> write_mlflow_run(const RunReader& reader, const std::string& folder);

}  // namespace ke

#pragma once
// Reads facts from a run file, for replays.

#include <memory>
#include <optional>
#include <vector>

#include "archive/run_reader.hpp"
#include "core/evaluator.hpp"
#include "core/fact_log.hpp"
#include "core/knowledge_index.hpp"

namespace ke {

/// A run's facts and its exchanges with language models: what is appended is dropped. Keeps the
/// reader alive.
std::shared_ptr<FactLog> recorded_facts(std::shared_ptr<const RunReader> reader);

/// The recorded exchanges with these keys, in the order of the keys; unknown keys are skipped.
Result<std::vector<Exchange>> recorded_exchanges(std::shared_ptr<const RunReader> reader,
                                                 const std::vector<Digest>& keys);

/// All exchanges of the run, sorted by key.
Result<std::vector<Exchange>> recorded_exchanges(std::shared_ptr<const RunReader> reader);

/// The jobs that the run's facts answered, ordered by key, without roles and needs.
Result<std::vector<Job>> recorded_jobs(const RunReader& reader);

/// The passages from earlier runs that the run's prompts could contain, by id.
Result<std::vector<Passage>> recorded_lessons(const RunReader& reader);

/// The evaluator that measured the run; nothing if no session started one.
Result<std::optional<EvaluatorInfo>> recorded_evaluator(const RunReader& reader);

}  // namespace ke

#pragma once
// A run file as a source of facts, for replays.

#include <memory>
#include <optional>
#include <vector>

#include "archive/run_reader.hpp"
#include "core/evaluator.hpp"
#include "core/fact_log.hpp"
#include "core/knowledge_index.hpp"

namespace ke {

/// The run's facts and exchanges, to read; what is appended is not kept. Shares the reader.
std::shared_ptr<FactLog> recorded_facts(std::shared_ptr<const RunReader> reader);

/// The exchanges among these keys, in their order; other keys are left out.
Result<std::vector<Exchange>> recorded_exchanges(std::shared_ptr<const RunReader> reader,
                                                 const std::vector<Digest>& keys);

/// All exchanges of the run, sorted by key.
Result<std::vector<Exchange>> recorded_exchanges(std::shared_ptr<const RunReader> reader);

/// The jobs that the run's facts answered, ordered by key, without roles and needs.
Result<std::vector<Job>> recorded_jobs(const RunReader& reader);

/// What prompts of the run could be told of earlier runs, by id.
Result<std::vector<Passage>> recorded_lessons(const RunReader& reader);

/// The evaluator that measured the run; nothing when no session ever started one.
Result<std::optional<EvaluatorInfo>> recorded_evaluator(const RunReader& reader);

}  // namespace ke

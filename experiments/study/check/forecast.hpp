#pragma once
// Requests, tokens and dollars that a search will take of its language models.

#include <cstdint>
#include <optional>
#include <string>

#include "experiments/run/assemble.hpp"

namespace ke {

/// Use of language models.
struct LlmUse {
  double requests = 0;
  double input_tokens = 0;
  double output_tokens = 0;
  double dollars = 0;
  LlmUse& operator+=(const LlmUse& other);
};

/// Sums over the runs from which another is estimated.
struct EarlierRuns {
  std::int64_t evaluations = 0;
  LlmUse use;
  double device_s = 0;  ///< of all measurements, verification included
};

struct LlmForecast {
  std::size_t letter_bytes = 0;  ///< length of the longest first letter
  LlmUse least;     ///< each answer is a kernel as long as the one shown, and is evaluated
  LlmUse expected;  ///< as the earlier runs; without them, as `least` with usual_answer
  LlmUse most;      ///< by the limits on proposals, requests, tokens of an answer, and llm.budget
  bool priced = false;             ///< whether an answer costs dollars
  std::optional<double> device_s;  ///< expected; known from earlier runs alone
  LlmForecast& operator+=(const LlmForecast& other);
};

/// Part of an answer's limit that an answer is taken to have when nothing is known.
inline constexpr double usual_answer = 1.0 / 8;

/// Sums over run files, or over all of a folder. Errors: there is none; none evaluated a kernel.
Result<EarlierRuns> earlier_runs(const std::string& file_or_folder);

/// The forecast of one run. Nothing if no operator asks a model.
std::optional<LlmForecast> forecast(const Experiment& experiment, const Subject& subject,
                                    const std::optional<EarlierRuns>& earlier);

}  // namespace ke

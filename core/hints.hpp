#pragma once
// Hints: strategy sections of prompts that a run breeds, with what came of them.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "core/llm_client.hpp"

namespace ke {

/// A short text on strategy that a letter to a model may carry.
struct Hint {
  std::string id;      ///< start of the SHA-256 of its text
  std::string parent;  ///< id of the hint that it was edited from; "" = shipped
  std::string text;
};

/// Results of the letters that carried a hint.
struct HintCredit {
  std::int64_t children = 0;  ///< committed candidates
  std::int64_t right = 0;     ///< those with verdict ok
  std::int64_t elites = 0;    ///< those that entered the archive of their island
  double best_gain = 0;       ///< largest speed over the best parent; 0 = no right child with one

  /// `best_parent` may be null.
  void count(const Candidate& child, const Candidate* best_parent, bool entered) {
    ++children;
    elites += entered ? 1 : 0;
    if (child.outcome == OutcomeKind::no_child || child.evaluation.verdict != Verdict::ok) return;
    ++right;
    if (best_parent == nullptr || best_parent->evaluation.objective <= 0) return;
    best_gain = std::max(best_gain, child.evaluation.objective / best_parent->evaluation.objective);
  }
};

/// An answer to the request for an edit: a hint, or why there is none.
struct HintEdit {
  std::optional<Hint> hint;
  std::string refused = {};  ///< short code, e.g. has_code
};

/// Asks a model to rewrite a hint. Pure: equal arguments give equal results.
class HintEditor {
 public:
  virtual ~HintEditor() = default;
  virtual LlmRequest request(const Hint& hint, const HintCredit& credit) const = 0;
  /// Reads the answer to such a request, a failed one included.
  virtual HintEdit read(const Exchange& exchange) const = 0;
};

}  // namespace ke

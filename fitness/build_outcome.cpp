#include "fitness/build_outcome.hpp"

namespace ke {

void take_build(const BuildOutcome& built, Fact& fact) {
  fact.verdict = built.verdict;
  fact.reason = built.reason;
  fact.message = built.message;
  fact.build_hash = built.build_hash;
  fact.measures = built.measures;
  fact.diagnostics = built.diagnostics;
  fact.policy_flags = built.policy_flags;
}

}  // namespace ke

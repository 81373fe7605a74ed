#pragma once
// What to do about a reply that is no answer.

#include <chrono>

#include "core/hash.hpp"
#include "operators/llm/client/answer.hpp"

namespace ke {

enum class Reaction {
  retry,           ///< the same call later
  slow_down,       ///< as retry, with fewer calls at once
  drop_parameter,  ///< at once, without the setting that the error names or by its other name
  refuse,          ///< credit, permission or a sound request is missing: no call can succeed
  fail             ///< this call cannot succeed
};

/// What a status of HTTP and an error say together: a body may tell another status than its reply.
int status_meant(int status, const WireError& error);

/// The reaction to an HTTP status and the error in its body. `status` 200 stands for an error in
/// a reply or in the midst of a stream, where the error alone tells.
Reaction reaction_to(int status, const WireError& error);

/// Whether a server says that its model, or it itself, takes no tools.
bool refuses_tools(int status, const WireError& error);

/// When to try again: full jitter below base * 2^attempt (Brooker, "Exponential backoff and
/// jitter"), drawn from the key so that a run can be repeated, and never before `retry_after`.
struct Backoff {
  std::chrono::milliseconds base{1000};
  std::chrono::milliseconds longest{60'000};
  std::chrono::milliseconds delay(const Digest& key, int attempt,
                                  std::chrono::milliseconds retry_after) const;
};

}  // namespace ke

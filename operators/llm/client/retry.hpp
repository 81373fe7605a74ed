#pragma once
// Decides how to react to an unsuccessful reply.

#include <chrono>

#include "core/hash.hpp"
#include "operators/llm/client/answer.hpp"

namespace ke {

enum class Reaction {
  retry,           ///< repeat the call later
  slow_down,       ///< as retry, with fewer concurrent calls
  drop_parameter,  ///< repeat at once without the rejected setting, or with its other name
  refuse,          ///< credit, permission or a valid request is missing: no call can succeed
  fail             ///< this call cannot succeed
};

/// The effective status: with HTTP status 200 the error's own, if it has one.
int status_meant(int status, const WireError& error);

/// The reaction to an HTTP status and the error in its body. With `status` 200 (an error inside a
/// reply or stream) the error alone decides.
Reaction reaction_to(int status, const WireError& error);

/// Whether the error says that the model or the server does not support tools.
bool refuses_tools(int status, const WireError& error);

/// Delay before a retry: full jitter below base * 2^attempt (Brooker, "Exponential backoff and
/// jitter"), derived from the key so that a run is repeatable, and never less than `retry_after`.
struct Backoff {
  std::chrono::milliseconds base{1000};
  std::chrono::milliseconds longest{60'000};
  std::chrono::milliseconds delay(const Digest& key, int attempt,
                                  std::chrono::milliseconds retry_after) const;
};

}  // namespace ke

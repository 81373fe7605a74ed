#pragma once
// The poison that fills outputs before a call.

#include <cstddef>
#include <span>

#include "fitness/content/secret_random.hpp"
#include "fitness/dtype.hpp"

namespace ke {

/// Fills an output before a call with finite values, new each time. Floats lie in +-[2^-4, 2^4);
/// bytes of bool are seldom 0 or 1.
void poison(Dtype dtype, SecretRandom& random, std::span<std::byte> output);

}  // namespace ke

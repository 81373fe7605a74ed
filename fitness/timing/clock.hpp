#pragma once

#include <cstdint>

namespace ke {

/// Nanoseconds of the judge's steady clock.
std::int64_t now_ns();

}  // namespace ke

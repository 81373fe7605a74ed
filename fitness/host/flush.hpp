#pragma once

#include <cstddef>
#include <span>

namespace ke {

/// Evicts the bytes' lines from all caches of the machine.
void flush_lines(std::span<const std::byte> bytes);

}  // namespace ke

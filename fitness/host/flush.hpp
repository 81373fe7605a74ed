#pragma once

#include <cstddef>
#include <span>

namespace ke {

/// Drops every cache line of the bytes from all caches of the machine.
void flush_lines(std::span<const std::byte> bytes);

}  // namespace ke

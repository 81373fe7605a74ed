#pragma once

#include <cstdint>
#include <string>

namespace ke {

/// An object file with only `cache_lines` x 64 bytes at the start of .text and of .rodata. Linked
/// in front of a kernel, it moves code and constants, so that two links of one object differ only
/// in layout. Also defines the hidden __dso_handle that function statics refer to.
std::string padding_object(std::uint64_t cache_lines);

}  // namespace ke

#pragma once
// How much two sources have in common.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ke {

/// Hashes of all runs of `size` tokens of C-like source, sorted, each once [Broder1997].
/// Comments, white space and line splices are no tokens; a string is one, each sign is one. A
/// source of fewer tokens is one run of those it has. O(n log n).
std::vector<std::uint64_t> shingles(std::string_view source, std::size_t size = 4);

/// Jaccard index of two sets of shingles, in [0, 1]; two empty ones are equal.
double similarity(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

/// That of two sources.
double similarity(std::string_view a, std::string_view b);

}  // namespace ke

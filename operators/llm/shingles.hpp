#pragma once
// Similarity of two sources.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ke {

/// Hashes of all sequences of `size` tokens of C-like source, sorted and unique [Broder1997].
/// Comments, white space and line splices are not tokens; a string is one token, each sign is one.
/// A source with fewer tokens is a single sequence. O(n log n).
std::vector<std::uint64_t> shingles(std::string_view source, std::size_t size = 4);

/// Jaccard index of two sets of shingles, in [0, 1]; 1 for two empty sets.
double similarity(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

/// The similarity of the sources' shingles.
double similarity(std::string_view a, std::string_view b);

}  // namespace ke

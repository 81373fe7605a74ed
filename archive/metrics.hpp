#pragma once
// Diversity of archives and populations.

#include <cstdint>
#include <span>
#include <vector>

namespace ke {

/// Mean Euclidean distance over all pairs of points in [0, 1]^n; 0 for fewer than two. O(m^2 n).
double descriptor_spread(std::span<const std::vector<double>> points);

/// Shannon entropy of cell visits over log(cells), in [0, 1]; 0 without visits or with one cell.
/// `counts` holds the visited cells' counts.
double cell_entropy(std::span<const std::int64_t> counts, std::size_t cells);

}  // namespace ke

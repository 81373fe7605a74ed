#pragma once
// Numeric quality-diversity problems with known results: linear projection and arm repertoire.

#include <memory>

#include "core/numeric/problem.hpp"
#include "core/params.hpp"

namespace ke {

/// Makes a problem by its name in `device.function`.
///
/// sphere, a linear projection [Fontaine2020]: the optimum is x = 2.048 everywhere, the objective
/// is scaled so that the optimum is 100 and x = -5.12 everywhere is 0; the two measures m0, m1 are
/// the sums of the halves of clip(x), clip(x) = x for |x| <= 5.12 and 5.12 / x beyond, in
/// [-5.12 n/2, 5.12 n/2]. Coordinates are unbounded. n >= 2; with odd n the second half is longer.
///
/// rastrigin: the same with f(z) = 10 n + sum(z^2 - 10 cos 2 pi z), z = x - 2.048.
///
/// arm, a planar arm of n links of length 1 [Cully2017]: coordinates are joint angles in [-pi, pi],
/// the objective is minus their population variance, measures x, y in [-n, n] are the tip's
/// position.
std::unique_ptr<NumericProblem> make_numeric_problem(const std::string& name,
                                                     std::size_t dimensions);

}  // namespace ke

#pragma once
// Quantile and distribution function of Student's t, for intervals and duels.

namespace ke {

/// Quantile at `probability` in (0, 1) for `degrees` > 0 (fractions allowed, infinity = normal).
double students_t_quantile(double probability, double degrees);

/// P(T <= value) for a t variable with `degrees` > 0.
double students_t_probability(double value, double degrees);

}  // namespace ke

#pragma once
// The two numbers of Student's t that intervals and duels need.

namespace ke {

/// The value that a t variable with `degrees` > 0 (fractions allowed, infinity is the normal)
/// stays below with probability `probability` in (0, 1).
double students_t_quantile(double probability, double degrees);

/// P(T <= value) for a t variable with `degrees` > 0.
double students_t_probability(double value, double degrees);

}  // namespace ke

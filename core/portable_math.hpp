#pragma once
// log, exp, sin and cos with equal bits on every machine. The C library selects variants by
// processor, and a differing last bit can change a decision. Uses basic arithmetic only, no
// contraction.

namespace ke {

/// Natural logarithm, error below 2 ulp. -inf at 0, NaN below.
double portable_log(double x);
/// Exponential function, error below 2 ulp. 0 or inf outside the range of double.
double portable_exp(double x);
/// x^y for x > 0, as exp(y log x); relative error below 1e-13 for results near 1.
double portable_pow(double x, double y);
/// Sine and cosine for |x| <= 1e5, absolute error below 1e-11, also near multiples of pi.
double portable_sin(double x);
double portable_cos(double x);

}  // namespace ke

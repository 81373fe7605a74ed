#pragma once
// log, exp, sin and cos that give the same bits on every machine: the C library picks its variant
// by the processor, and a last bit can change a decision. Basic arithmetic only, no contraction.

namespace ke {

/// Natural logarithm, error below 2 ulp. -inf at 0, NaN below.
double portable_log(double x);
/// Exponential function, error below 2 ulp. 0 and inf beyond the range of double.
double portable_exp(double x);
/// x^y for x > 0, as exp(y log x); relative error below 1e-13 for results near 1.
double portable_pow(double x, double y);
/// Sine and cosine for |x| <= 1e5, absolute error below 1e-11 (near multiples of pi also).
double portable_sin(double x);
double portable_cos(double x);

}  // namespace ke

#include "fitness/timing/students_t.hpp"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "core/result.hpp"

namespace ke {

double students_t_quantile(double probability, double degrees) {
  KE_CHECK(probability > 0.0 && probability < 1.0 && degrees > 0.0);
  if (std::isinf(degrees)) return boost::math::quantile(boost::math::normal(), probability);
  return boost::math::quantile(boost::math::students_t(degrees), probability);
}

double students_t_probability(double value, double degrees) {
  KE_CHECK(degrees > 0.0);
  if (std::isinf(degrees)) return boost::math::cdf(boost::math::normal(), value);
  return boost::math::cdf(boost::math::students_t(degrees), value);
}

}  // namespace ke

#include <array>
#include <numbers>

#include "core/portable_math.hpp"
#include "core/result.hpp"
#include "fitness/function/numeric_problems.hpp"

namespace ke {
namespace {

using std::numbers::pi;

double variance(std::span<const double> x) {
  const double n = static_cast<double>(x.size());
  double mean = 0;
  for (const double value : x) mean += value;
  mean /= n;
  double sum = 0;
  for (const double value : x) sum += (value - mean) * (value - mean);
  return sum / n;
}

class Arm final : public NumericProblem {
 public:
  explicit Arm(std::size_t n) : n_(n) {
    KE_CHECK(n >= 1);
    const double reach = static_cast<double>(n);
    measures_ = {{{"x", -reach, reach}, {"y", -reach, reach}}};
  }
  std::size_t dimensions() const override { return n_; }
  std::span<const MeasureRange> measures() const override { return measures_; }
  double low() const override { return -pi; }
  double high() const override { return pi; }

  void evaluate(Rows solutions, std::span<double> objectives,
                std::span<double> measures) const override {
    for (std::size_t row = 0; row < objectives.size(); ++row) {
      objectives[row] = -variance(solutions[row]);
      double angle = 0;
      double x = 0;
      double y = 0;
      for (const double joint : solutions[row]) {
        angle += joint;
        x += portable_cos(angle);
        y += portable_sin(angle);
      }
      measures[2 * row] = x;
      measures[2 * row + 1] = y;
    }
  }

 private:
  std::size_t n_;
  std::array<MeasureRange, 2> measures_;
};

}  // namespace

std::unique_ptr<NumericProblem> make_arm_problem(std::size_t dimensions) {
  return std::make_unique<Arm>(dimensions);
}

std::unique_ptr<NumericProblem> make_numeric_problem(const std::string& name,
                                                     std::size_t dimensions) {
  if (name == "rastrigin") return make_rastrigin_problem(dimensions);
  if (name == "arm") return make_arm_problem(dimensions);
  KE_CHECK(name == "sphere");
  return make_sphere_problem(dimensions);
}

}  // namespace ke

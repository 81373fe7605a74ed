#pragma once
// A landscape: recorded measurements of a whole space, used instead of hardware.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/kernel.hpp"
#include "core/knob_space.hpp"
#include "core/result.hpp"
#include "core/verdict.hpp"

namespace ke {
struct LandscapeTable;

/// A tunable parameter with its recorded values. Numbers ascend; other values are in text order.
struct LandscapeParameter {
  Knob knob;                    ///< values in the form that a kernel uses
  std::vector<double> numbers;  ///< per value: itself, 0/1, or the position of a text
};

/// Immutable; all runs on it share it.
class Landscape {
 public:
  /// One recorded configuration.
  struct Point {
    Verdict verdict = Verdict::ok;
    double time = 0;  ///< as recorded, in units of unit_ns(); 0 unless ok
    std::uint32_t first_sample = 0;
    std::uint32_t sample_count = 0;
    std::string reason = {};  ///< kind of failure
  };

  /// Numbers the values and validates everything. Errors name file and place: no points, no ok
  /// point, a duplicate configuration, more than 65535 values of a parameter.
  static Result<Landscape> make(LandscapeTable table, std::string name);

  const std::string& name() const { return name_; }
  const std::string& kernel() const { return kernel_; }  ///< the tuned kernel; "" = unknown
  const std::string& device() const { return device_; }
  double unit_ns() const { return unit_ns_; }
  const std::vector<LandscapeParameter>& parameters() const { return parameters_; }
  const std::vector<std::string>& measures() const { return measures_; }

  const std::vector<Point>& points() const { return points_; }
  /// Raw repeats of a point, in units of unit_ns().
  std::span<const double> samples(const Point& point) const {
    return {samples_.data() + point.first_sample, point.sample_count};
  }
  /// The position of each parameter's value.
  std::span<const std::uint16_t> levels(std::size_t point) const {
    return {levels_.data() + point * parameters_.size(), parameters_.size()};
  }
  /// NaN if not recorded.
  double measure(std::size_t point, std::size_t measure) const {
    return measured_[point * measures_.size() + measure];
  }
  /// The point of these levels; nothing when it was not recorded or is impossible. O(1), and
  /// fastest for missing points, which most queries of operators ask for.
  std::optional<std::size_t> find(std::span<const std::uint16_t> levels) const;
  /// The point of a kernel's knobs; none unless the knobs are exactly the parameters.
  std::optional<std::size_t> find(const Kernel& kernel) const;
  /// The fastest point.
  std::size_t optimum() const { return optimum_; }
  double best_time() const { return points_[optimum_].time; }
  /// Hash over names, values, times, samples, verdicts and measures.
  const Digest& content_hash() const { return hash_; }

 private:
  /// A parameter's digit in the code of a point.
  struct Digit {
    std::uint64_t stride;
    std::uint64_t count;  ///< number of levels
  };

  /// A unique number for each combination; nothing for levels out of range.
  std::optional<std::uint64_t> code_of(std::span<const std::uint16_t> levels) const;
  /// Index of a code in the bits of `perhaps_`.
  std::size_t bit_of(std::uint64_t code) const;
  Result<void> add_points(LandscapeTable& table);
  Result<void> number(const LandscapeTable& table);
  void hash_content();

  std::string name_;
  std::string kernel_;
  std::string device_;
  double unit_ns_ = 1e6;
  std::vector<LandscapeParameter> parameters_;
  std::vector<Digit> digits_;         ///< per parameter
  std::vector<std::size_t> by_name_;  ///< parameters sorted by name, the order of knobs in kernels
  std::vector<std::string> measures_;
  std::vector<Point> points_;
  std::vector<std::uint16_t> levels_;
  std::vector<double> samples_;
  std::vector<double> measured_;
  std::unordered_map<std::uint64_t, std::uint32_t> index_;
  std::vector<bool> perhaps_;  ///< false: certainly no point; the size is a power of two
  std::size_t optimum_ = 0;
  Digest hash_;
};

/// Reads a file of either format, plain or gzip; its keys determine the format. Leaves out
/// configurations that broke a restriction (invalidity `constraints`, InvalidConfig). Errors are
/// one line each, with file and place. O(file).
Result<std::shared_ptr<const Landscape>> read_landscape(const std::string& path);

/// A landscape's name: its folder and its file name without the format's endings, such as
/// `convolution_milo/A100`. Omits a folder `landscapes`.
std::string landscape_name(const std::string& path);

}  // namespace ke

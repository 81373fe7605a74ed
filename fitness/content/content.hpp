#pragma once
// Secret contents: inputs with their expected outputs, and fresh ones derived by transforms of
// known effect, so that no call repeats an earlier one and no expected output is computed twice.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fitness/content/shapes.hpp"
#include "fitness/task.hpp"

namespace ke {

/// What compare needs of one expected output, computed once.
struct OutputFacts {
  std::int64_t row = 1;             ///< elements of one row
  std::vector<double> row_rms;      ///< per row, over its finite elements
  std::vector<float> rounded;       ///< in single precision; empty of float64 and integers
  std::vector<std::uint8_t> clean;  ///< per row: all elements finite and within the type's range
  /// Errors and values are divided by this power of two before they are squared: 1, and of float64,
  /// whose squares may leave the range, near the largest value.
  double unit = 1;
  double sum_squares = 0;  ///< over elements of clean rows, in units
  double largest = 0;      ///< magnitude, over finite elements

  /// Raises the rms of each row to at least the rms of all rows together.
  void raise_to_common_rms();
  /// Raises the rms of each row, and of the whole output, to at least `rms`.
  void raise_to(double rms);
};

/// Magnitudes of an input's finite elements; what decides which scale is exact.
struct Magnitudes {
  double least = 0;  ///< that is not zero; 0 when there is none
  double most = 0;
};

/// The bits of inputs with `changes: never`, per input; empty for the others. Contents that share
/// them share the object, so that its address tells whether a kernel must prepare anew.
using Unchanging = std::vector<std::vector<std::byte>>;

/// One input and what the oracle says of it. Immutable once made.
struct Content {
  const Task* task = nullptr;  ///< borrowed
  std::shared_ptr<const Shapes> shapes;
  std::string label;                                ///< "x: normal, w: constant" (+ ", edited")
  std::vector<std::vector<std::byte>> inputs;       ///< per input tensor
  std::shared_ptr<const Unchanging> unchanging;     ///< null: every input changes
  std::vector<Magnitudes> magnitudes;               ///< per input tensor; floats only
  std::vector<std::vector<double>> expected;        ///< per output tensor; int64 outputs rounded
  std::vector<std::vector<std::int64_t>> integers;  ///< the same of integer outputs, exactly
  std::vector<OutputFacts> facts;                   ///< per output tensor
};

/// Computes `facts` of the `expected` values of an output.
OutputFacts facts_of(std::span<const double> expected, std::int64_t row,
                     Dtype dtype = Dtype::float32);
/// The values of a tensor of a floating type, exactly.
std::vector<double> widened_all(Dtype dtype, std::span<const std::byte> bytes);
void widen_all(Dtype dtype, std::span<const std::byte> bytes, std::span<double> to);
/// Writes `values`, rounded to `dtype`, a floating type.
void narrow_all(Dtype dtype, std::span<const float> values, std::byte* to);
void narrow_all(Dtype dtype, std::span<const double> values, std::byte* to);
/// Magnitudes of `values`.
Magnitudes magnitudes_of(std::span<const double> values);

/// A content under a transform. Small: refers to the entry. Copyable.
struct FreshContent {
  std::shared_ptr<const Content> entry;
  std::vector<std::int64_t> rotation;  ///< per permute axis
  std::vector<float> input_factors;    ///< per input: +-2^k, 1 for integers
  std::vector<double> output_factors;  ///< per output: +-2^k

  const Task& task() const { return *entry->task; }
  const Shapes& shapes() const { return *entry->shapes; }
};

/// The content itself, no transform.
FreshContent untransformed(std::shared_ptr<const Content> entry);

/// Writes the inputs, one destination per input tensor. Null destinations are skipped (inputs with
/// `changes: never` that are already in place).
void write_inputs(const FreshContent& content, std::span<std::byte* const> destinations);
/// False when any input differs from what write_inputs wrote, bit by bit. Null pointers are
/// skipped.
bool inputs_intact(const FreshContent& content, std::span<const std::byte* const> inputs);
/// The expected outputs of a fresh content, materialised: for tests, messages, admission.
std::vector<std::vector<double>> expected_outputs(const FreshContent& content);

}  // namespace ke

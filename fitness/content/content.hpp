#pragma once
// Secret contents: inputs with their expected outputs, and fresh contents derived by transforms of
// known effect, so that no call repeats an earlier one and no expected output is computed twice.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "fitness/content/reference.hpp"
#include "fitness/content/secret_random.hpp"
#include "fitness/content/shapes.hpp"
#include "fitness/task.hpp"

namespace ke {

/// The precomputed facts about one expected output that compare uses.
struct OutputFacts {
  std::int64_t row = 1;             ///< elements of one row
  std::vector<double> row_rms;      ///< per row, over its finite elements
  std::vector<float> rounded;       ///< in single precision; empty for float64 and integers
  std::vector<std::uint8_t> clean;  ///< per row: all elements finite and within the type's range
  /// Power of two that divides errors and values before they are squared: 1, or near the largest
  /// value for float64, whose squares may leave the range.
  double unit = 1;
  double sum_squares = 0;  ///< over elements of clean rows, in units
  double largest = 0;      ///< magnitude, over finite elements

  /// Raises the rms of each row to at least the rms of all rows together.
  void raise_to_common_rms();
  /// Raises the rms of each row, and of the whole output, to at least `rms`.
  void raise_to(double rms);
};

/// Magnitudes of an input's finite elements; they decide which scales are exact.
struct Magnitudes {
  double least = 0;  ///< smallest non-zero magnitude; 0 when there is none
  double most = 0;
};

/// The bits of inputs with `changes: never`, per input; empty for the others. Contents with the
/// same bits share the object, so its address tells whether a kernel must prepare anew.
using Unchanging = std::vector<std::vector<std::byte>>;

/// Filled by rounding_room when it is first asked for.
struct RoundingRoom {
  std::once_flag once;
  std::vector<std::vector<double>> rows;  ///< per output and row
};

/// The tensors of a content in the memory of a device.
struct DeviceTensors {
  DeviceTensors() = default;
  DeviceTensors(const DeviceTensors&) = delete;
  DeviceTensors& operator=(const DeviceTensors&) = delete;
  virtual ~DeviceTensors() = default;
};

/// One input and the oracle's outputs. Immutable once made.
struct Content {
  const Task* task = nullptr;  ///< borrowed
  std::shared_ptr<const Shapes> shapes;
  std::string label;                                ///< "x: normal, w: constant" (+ ", edited")
  std::vector<std::vector<std::byte>> inputs;       ///< per input tensor
  std::shared_ptr<const Unchanging> unchanging;     ///< null: every input changes
  std::vector<Magnitudes> magnitudes;               ///< per input tensor; floats only
  std::vector<double> drawn_most;                   ///< `magnitudes[t].most` before any edit
  std::vector<std::vector<double>> expected;        ///< per output tensor; int64 outputs rounded
  std::vector<std::vector<std::int64_t>> integers;  ///< integer outputs, exactly
  std::vector<OutputFacts> facts;                   ///< per output tensor
  const Reference* reference = nullptr;             ///< borrowed; for rounding_room
  ReferenceSite site;
  std::shared_ptr<RoundingRoom> room;  ///< null: none can be measured
  /// Not null: the values of all tensors are there, and of each row of outputs of more than a few
  /// elements; the vectors for them are empty.
  std::shared_ptr<DeviceTensors> on_device;
};

/// Computes `facts` of the `expected` values of an output.
OutputFacts facts_of(std::span<const double> expected, std::int64_t row,
                     Dtype dtype = Dtype::float32);
/// Converts a tensor of a floating type to double, exactly.
std::vector<double> widened_all(Dtype dtype, std::span<const std::byte> bytes);
void widen_all(Dtype dtype, std::span<const std::byte> bytes, std::span<double> to);
/// Writes `values`, rounded to `dtype`, a floating type.
void narrow_all(Dtype dtype, std::span<const float> values, std::byte* to);
void narrow_all(Dtype dtype, std::span<const double> values, std::byte* to);
/// Magnitudes of `values`.
Magnitudes magnitudes_of(std::span<const double> values);

/// A content under a transform. Small and copyable: refers to the entry.
struct FreshContent {
  std::shared_ptr<const Content> entry;
  std::vector<std::int64_t> rotation;  ///< per permute axis
  std::vector<float> input_factors;    ///< per input: +-2^k, 1 for integers
  std::vector<double> output_factors;  ///< per output: +-2^k

  const Task& task() const { return *entry->task; }
  const Shapes& shapes() const { return *entry->shapes; }
};

/// The content without a transform.
FreshContent untransformed(std::shared_ptr<const Content> entry);

/// Writes the inputs, one destination per input tensor. Skips null destinations (inputs with
/// `changes: never` that are already in place).
void write_inputs(const FreshContent& content, std::span<std::byte* const> destinations);
/// The bytes of every input.
std::vector<std::vector<std::byte>> written_inputs(const FreshContent& content);

/// Whether every input is bit for bit as write_inputs wrote it. Skips null pointers.
bool inputs_intact(const FreshContent& content, std::span<const std::byte* const> inputs);
/// Computes the expected outputs of a fresh content: for tests, messages, admission.
std::vector<std::vector<double>> expected_outputs(const FreshContent& content);

/// Fills an output before a call with finite values, new each time. Floats lie in +-[2^-4, 2^4);
/// bytes of bool are seldom 0 or 1.
void poison(Dtype dtype, SecretRandom& random, std::span<std::byte> output);

}  // namespace ke

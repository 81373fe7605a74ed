#pragma once
// The bytes that lie in an output before a call. A kernel must not depend on them, so they are of
// many kinds.

#include <cstdint>
#include <span>
#include <vector>

#include "core/dtype_table.hpp"
#include "fitness/content/content.hpp"
#include "fitness/content/secret_random.hpp"

namespace ke {

enum class FillKind {
  floats,  ///< values of random mantissa, with exponents in a small range anywhere
  zeros,
  nan,
  bits,    ///< any bits
  kept,    ///< what the last call left
  answer,  ///< the right answer for other inputs
};

/// A kind in random proportions: half of all fills are `floats`.
FillKind random_fill_kind(std::uint64_t bits);

/// Fills outputs at the speed of memory.
class OutputFill {
 public:
  explicit OutputFill(SecretRandom& random);
  /// Kinds floats, zeros, nan and bits. Integers get any bits where those of floats are asked for.
  void fill(FillKind kind, Dtype dtype, std::uint64_t seed, std::span<std::byte> output) const;

 private:
  std::vector<std::uint64_t> pool_;  ///< random bits, combined with others in each fill
};

/// Reads one byte of each cache line, so that caches hold the output as if it had been written.
void touch(std::span<const std::byte> output);

/// Writes the right answer of a content to one of its outputs.
void write_answer(const FreshContent& content, std::size_t output, std::byte* to);

/// A number that tells other bytes in an output from these, all but surely.
std::uint64_t checksum(std::span<const std::byte> bytes);

}  // namespace ke

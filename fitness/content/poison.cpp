#include "fitness/content/poison.hpp"

#include <cstdint>

namespace ke {

void poison(Dtype dtype, SecretRandom& random, std::span<std::byte> output) {
  random.fill_bytes(output);
  // Keeps sign, mantissa and three bits of the exponent: +-[2^-4, 2^4).
  const auto moderate = [&]<typename Word>(Word kept, Word added) {
    auto* words = reinterpret_cast<Word*>(output.data());
    for (std::size_t i = 0; i < output.size() / sizeof(Word); ++i) {
      words[i] = static_cast<Word>((words[i] & kept) + added);
    }
  };
  switch (dtype) {
    case Dtype::float32: return moderate(std::uint32_t{0x83ffffff}, std::uint32_t{0x3d800000});
    case Dtype::float16: return moderate(std::uint16_t{0x9fff}, std::uint16_t{0x2c00});
    case Dtype::bfloat16: return moderate(std::uint16_t{0x83ff}, std::uint16_t{0x3d80});
    case Dtype::float64:
      return moderate(std::uint64_t{0x807fffffffffffff}, std::uint64_t{0x3fb0000000000000});
    default: return;
  }
}

}  // namespace ke

#include "fitness/content/secret_random.hpp"

#include <sys/random.h>

#include <algorithm>
#include <cstring>

#include "core/codec.hpp"

namespace ke {

SecretRandom::SecretRandom(const Seed& seed) {
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    Encoder out;
    out("secret/1")(static_cast<std::int64_t>(lane));
    for (const std::uint64_t word : seed) out(word);
    const Digest digest = out.digest();  // never all zero, the one state that xoshiro cannot leave
    for (std::size_t i = 0; i < 4; ++i) {
      std::memcpy(&state_[i][lane], digest.bytes.data() + 8 * i, 8);
    }
  }
}

Result<SecretRandom> SecretRandom::from_system() {
  Seed seed;
  if (getrandom(seed.data(), sizeof seed, 0) != static_cast<ssize_t>(sizeof seed)) {
    return Error{Failure::io, "the system gives no entropy (getrandom)"};
  }
  return SecretRandom(seed);
}

void SecretRandom::refill() {
  // The inner loop runs across lanes, so that the compiler vectorises it.
  auto state = state_;
  for (std::size_t round = 0; round < rounds; ++round) {
    std::uint64_t* out = block_.data() + round * lanes;
    for (std::size_t i = 0; i < lanes; ++i) {
      const std::uint64_t sum = state[0][i] + state[3][i];
      out[i] = ((sum << 23) | (sum >> 41)) + state[0][i];
      const std::uint64_t shifted = state[1][i] << 17;
      state[2][i] ^= state[0][i];
      state[3][i] ^= state[1][i];
      state[1][i] ^= state[2][i];
      state[0][i] ^= state[3][i];
      state[2][i] ^= shifted;
      state[3][i] = (state[3][i] << 45) | (state[3][i] >> 19);
    }
  }
  state_ = state;
  used_ = 0;
}

std::uint64_t SecretRandom::bits() {
  if (used_ == block_.size()) refill();
  return block_[used_++];
}

std::uint64_t SecretRandom::below(std::uint64_t n) { return bits() % n; }

double SecretRandom::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

void SecretRandom::fill_bytes(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    if (used_ == block_.size()) refill();
    const std::size_t count = std::min(bytes.size(), (block_.size() - used_) * 8);
    std::memcpy(bytes.data(), block_.data() + used_, count);
    used_ += (count + 7) / 8;
    bytes = bytes.subspan(count);
  }
}

void SecretRandom::fill(std::span<std::uint32_t> words) {
  fill_bytes(std::as_writable_bytes(words));
}

}  // namespace ke

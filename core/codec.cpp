#include "core/codec.hpp"

#include <bit>

namespace ke {

static_assert(std::endian::native == std::endian::little);

void Encoder::word(std::uint64_t value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  bytes_.append(bytes, sizeof value);
}

void Encoder::text(std::string_view value) {
  word(value.size());
  bytes_.append(value);
}

Decoder& Decoder::operator()(Digest& digest) {
  const std::string_view bytes = raw(digest.bytes.size());
  if (ok_) std::memcpy(digest.bytes.data(), bytes.data(), bytes.size());
  return *this;
}

std::uint64_t Decoder::word() {
  const std::string_view bytes = raw(sizeof(std::uint64_t));
  std::uint64_t value = 0;
  if (ok_) std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

std::uint64_t Decoder::word_up_to(std::uint64_t most) {
  const std::uint64_t value = word();
  if (value > most) ok_ = false;
  return ok_ ? value : 0;
}

std::size_t Decoder::length(std::size_t item_bytes) {
  const std::uint64_t count = word();
  // A damaged length must not allocate more items than the remaining bytes can hold.
  if (count > rest_.size() / item_bytes) ok_ = false;
  return ok_ ? count : 0;
}

std::string_view Decoder::raw(std::size_t count) {
  if (!ok_ || count > rest_.size()) {
    ok_ = false;
    return {};
  }
  const std::string_view bytes = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return bytes;
}

}  // namespace ke

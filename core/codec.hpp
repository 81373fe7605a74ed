#pragma once
// The canonical binary encoding, used for hashes, messages between processes and the fact log.
// Integers are 8 bytes little-endian, doubles their IEEE bits; strings and lists carry their
// length.

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/hash.hpp"
#include "core/result.hpp"

namespace ke {

/// Appends values in canonical form. Types with `void encode(Encoder&) const` can be nested.
class Encoder {
 public:
  /// Reserves `expected` bytes; the encoding may be longer.
  explicit Encoder(std::size_t expected = 512) { bytes_.reserve(expected); }

  template <typename T>
  Encoder& operator()(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      word(static_cast<std::uint64_t>(value));
    } else if constexpr (std::is_same_v<T, double>) {
      std::uint64_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      word(bits);
    } else if constexpr (std::is_integral_v<T>) {
      word(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      text(value);
    } else {
      value.encode(*this);
    }
    return *this;
  }
  Encoder& operator()(const Digest& digest) {
    bytes_.append(reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size());
    return *this;
  }
  template <typename T>
  Encoder& operator()(const std::vector<T>& list) {
    word(list.size());
    for (const auto& item : list) (*this)(item);
    return *this;
  }
  template <typename K, typename V>
  Encoder& operator()(const std::map<K, V>& map) {
    word(map.size());
    for (const auto& [key, value] : map) (*this)(key)(value);
    return *this;
  }
  template <typename T>
  Encoder& operator()(const std::optional<T>& value) {
    word(value ? 1 : 0);
    if (value) (*this)(*value);
    return *this;
  }

  template <typename... Items>
  void all(const Items&... items) {
    ((*this)(items), ...);
  }
  const std::string& bytes() const& { return bytes_; }
  std::string bytes() && { return std::move(bytes_); }
  Digest digest() const { return sha256(bytes_); }

 private:
  void word(std::uint64_t value);
  void text(std::string_view value);
  std::string bytes_;
};

/// Reads exactly what Encoder writes: bytes that decode encode to the same bytes. After the first
/// truncated or impossible value every read yields a default and `ok()` is false, so a decoder
/// checks once, at its end. For each enumeration E, a function `E last_value(E)` beside it returns
/// its largest value.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  Decoder& operator()(T& value) {
    if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(word_up_to(static_cast<std::uint64_t>(last_value(T{}))));
    } else if constexpr (std::is_same_v<T, bool>) {
      value = word_up_to(1) == 1;
    } else if constexpr (std::is_same_v<T, double>) {
      const std::uint64_t bits = word();
      std::memcpy(&value, &bits, sizeof bits);
    } else if constexpr (std::is_integral_v<T>) {
      const std::uint64_t read = word();
      value = static_cast<T>(read);
      if (static_cast<std::uint64_t>(value) != read) ok_ = false;
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = std::string(raw(length(1)));
    } else {
      value.decode(*this);
    }
    return *this;
  }
  Decoder& operator()(Digest& digest);
  template <typename T>
  Decoder& operator()(std::vector<T>& list) {
    list.assign(length(1), T{});
    for (auto& item : list) (*this)(item);
    return *this;
  }
  template <typename K, typename V>
  Decoder& operator()(std::map<K, V>& map) {
    map.clear();
    for (std::size_t left = length(1); left > 0 && ok_; --left) {
      K key{};
      V value{};
      (*this)(key)(value);
      if (!map.empty() && !(map.rbegin()->first < key)) ok_ = false;
      map.emplace(std::move(key), std::move(value));
    }
    return *this;
  }
  template <typename T>
  Decoder& operator()(std::optional<T>& value) {
    value.reset();
    if (word_up_to(1) == 1) (*this)(value.emplace());
    return *this;
  }

  template <typename... Items>
  void all(Items&... items) {
    ((*this)(items), ...);
  }
  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }

 private:
  std::uint64_t word();
  /// Answers 0 and sets `ok_` to false when the word exceeds `most`.
  std::uint64_t word_up_to(std::uint64_t most);
  std::size_t length(std::size_t item_bytes);
  std::string_view raw(std::size_t count);
  std::string_view rest_;
  bool ok_ = true;
};

/// Inside a struct: it is encoded as these members, in this order.
#define KE_CODED(...)                                             \
  void encode(::ke::Encoder& out) const { out.all(__VA_ARGS__); } \
  void decode(::ke::Decoder& in) { in.all(__VA_ARGS__); }

/// The canonical bytes of one value.
template <typename T>
std::string encode(const T& value) {
  Encoder encoder;
  encoder(value);
  return std::move(encoder).bytes();
}

/// Decodes one value. Error: the bytes are truncated, too long or impossible.
template <typename T>
Result<T> decode(std::string_view bytes) {
  Decoder decoder(bytes);
  T value{};
  decoder(value);
  if (!decoder.ok() || !decoder.at_end()) return Error{Failure::io, "damaged record"};
  return value;
}

/// SHA-256 of the canonical bytes of one value.
template <typename T>
Digest digest_of(const T& value) {
  return sha256(encode(value));
}

}  // namespace ke

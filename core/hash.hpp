#pragma once
// SHA-256 digests: genome hash, build hash, measure keys, history hash.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ke {

/// A SHA-256 value. Ordered and usable as a key.
struct Digest {
  std::array<std::uint8_t, 32> bytes{};

  /// 64 lower-case hexadecimal digits.
  std::string hex() const;
  /// The first `digits` of hex(), for display.
  std::string short_hex(std::size_t digits = 12) const { return hex().substr(0, digits); }
  bool is_zero() const { return *this == Digest{}; }
  friend auto operator<=>(const Digest&, const Digest&) = default;
};

/// SHA-256 of the bytes of `data`.
Digest sha256(std::string_view data);

/// Parses 64 hexadecimal digits; nothing for any other text.
std::optional<Digest> parse_digest(std::string_view hex);

}  // namespace ke

template <>
struct std::hash<ke::Digest> {
  std::size_t operator()(const ke::Digest& digest) const noexcept;
};

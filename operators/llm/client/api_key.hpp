#pragma once
// A secret that leaves this process only in the header of a request.

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ke {

/// An API key. It cannot be copied, printed, formatted, compared or encoded, and is overwritten on
/// destruction. Messages about it name its origin, never its content.
class ApiKey {
 public:
  /// Takes the key from `text` and overwrites it; `origin` names the source in messages. Errors:
  /// empty, longer than 8 KiB, or with characters that a header cannot hold.
  static Result<ApiKey> take(std::string& text, std::string_view origin);
  /// Reads the key from a file that only its owner may read and write (mode 0600).
  static Result<ApiKey> from_file(const std::string& path);

  ApiKey(ApiKey&& other) noexcept = default;
  ApiKey& operator=(ApiKey&& other) noexcept;
  ApiKey(const ApiKey&) = delete;
  ApiKey& operator=(const ApiKey&) = delete;
  ~ApiKey() { wipe(); }

  template <typename Stream>
  friend Stream& operator<<(Stream&, const ApiKey&) = delete;

  /// The secret itself, for the request header and for removing it from texts.
  std::string_view reveal() const { return {bytes_.data(), bytes_.size()}; }
  /// `text` with every occurrence of the key replaced by "[key]". A key of up to three characters
  /// is not a secret and stays; replacing its letters would garble every reply.
  std::string without_key(std::string_view text) const;
  /// `text` with any six adjacent characters of the key replaced, for messages of providers, which
  /// quote parts of keys.
  std::string without_parts(std::string_view text) const;

 private:
  ApiKey() = default;
  void wipe();
  // A vector, since moving a short string leaves a copy behind.
  std::vector<char> bytes_;
};

/// Overwrites a text so that the compiler cannot optimise it away, then clears it.
void wipe(std::string& text);

}  // namespace ke

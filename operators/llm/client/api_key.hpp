#pragma once
// A secret that leaves this process in one place only: the header of a request.

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ke {

/// An API key. It cannot be copied, printed, formatted, compared or encoded, and is overwritten at
/// its end. Messages about it name where it came from, never what it is.
class ApiKey {
 public:
  /// The key in `text`, which is overwritten; `origin` names its place in messages. Errors: empty,
  /// longer than 8 KiB, or with characters that no header may hold.
  static Result<ApiKey> take(std::string& text, std::string_view origin);
  /// The key in a file that its owner alone may read and write (mode 0600).
  static Result<ApiKey> from_file(const std::string& path);

  ApiKey(ApiKey&& other) noexcept = default;
  ApiKey& operator=(ApiKey&& other) noexcept;
  ApiKey(const ApiKey&) = delete;
  ApiKey& operator=(const ApiKey&) = delete;
  ~ApiKey() { wipe(); }

  template <typename Stream>
  friend Stream& operator<<(Stream&, const ApiKey&) = delete;

  /// The secret itself, for the header of a request and for removing it from texts.
  std::string_view reveal() const { return {bytes_.data(), bytes_.size()}; }
  /// `text` with every appearance of the key replaced by "[key]". A key of up to three characters
  /// is no secret and stays: without its letters no reply would be whole.
  std::string without_key(std::string_view text) const;
  /// The same for messages of providers, which quote keys in pieces: six characters in a row go.
  std::string without_parts(std::string_view text) const;

 private:
  ApiKey() = default;
  void wipe();
  // A vector: moving it leaves no copy behind, unlike a short string.
  std::vector<char> bytes_;
};

/// Overwrites a text in a way that no compiler removes, then empties it.
void wipe(std::string& text);

}  // namespace ke

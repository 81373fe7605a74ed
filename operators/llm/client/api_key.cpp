#include "operators/llm/client/api_key.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "core/text.hpp"

namespace ke {
namespace {

constexpr std::size_t longest_key = 8192;
constexpr std::size_t shortest_secret = 4;  ///< local servers get shorter placeholder keys
constexpr std::size_t shortest_part = 6;    ///< shorter parts reveal little
constexpr std::string_view mark = "[key]";

bool fits_header(char c) { return c > ' ' && c < '\x7f'; }

}  // namespace

void wipe(std::string& text) {
  explicit_bzero(text.data(), text.size());
  text.clear();
}

Result<ApiKey> ApiKey::take(std::string& text, std::string_view origin) {
  const std::string_view value = trim(text);
  ApiKey key;
  key.bytes_.assign(value.begin(), value.end());
  const bool valid = std::all_of(value.begin(), value.end(), fits_header);
  ke::wipe(text);
  const auto refused = [&](std::string_view why) {
    return Error{Failure::provider, fmt::format("the API key in {} {}", origin, why)};
  };
  if (key.bytes_.empty()) return refused("is empty");
  if (key.bytes_.size() > longest_key) return refused("is longer than 8 KiB");
  if (!valid) return refused("has characters that no header may hold");
  return key;
}

Result<ApiKey> ApiKey::from_file(const std::string& path) {
  const auto refused = [&](std::string_view why) {
    return Error{Failure::provider, fmt::format("key file {}: {}", path, why)};
  };
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return refused("cannot be read");
  struct stat status {};
  std::string text(longest_key + 2, '\0');
  const bool regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  const unsigned mode = status.st_mode & 07777U;
  const ssize_t got = regular && mode == 0600 ? read(file, text.data(), text.size()) : -1;
  close(file);
  if (!regular) return refused("is no file");
  if (mode != 0600) return refused(fmt::format("has mode {:04o}; only 0600 is accepted", mode));
  if (got < 0) return refused("cannot be read");
  text.resize(static_cast<std::size_t>(got));
  return take(text, path);
}

ApiKey& ApiKey::operator=(ApiKey&& other) noexcept {
  wipe();
  bytes_ = std::move(other.bytes_);
  return *this;
}

void ApiKey::wipe() {
  if (!bytes_.empty()) explicit_bzero(bytes_.data(), bytes_.size());
}

std::string ApiKey::without_key(std::string_view text) const {
  const std::string_view key = reveal();
  if (key.size() < shortest_secret) return std::string(text);
  std::string kept;
  for (auto at = text.find(key); at != text.npos; at = text.find(key)) {
    kept.append(text.substr(0, at)).append(mark);
    text.remove_prefix(at + key.size());
  }
  return kept.append(text);
}

std::string ApiKey::without_parts(std::string_view text) const {
  const std::string_view key = reveal();
  std::string kept;
  while (!text.empty()) {
    std::size_t length = 0;
    while (length < text.size() && key.find(text.substr(0, length + 1)) != key.npos) ++length;
    const bool part = length >= shortest_part || (length > 0 && length == key.size());
    kept.append(part ? mark : text.substr(0, 1));
    text.remove_prefix(part ? length : 1);
  }
  return kept;
}

}  // namespace ke

#include "operators/llm/cassette.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "core/text.hpp"
#include "operators/llm/exchange_json.hpp"
#include "operators/llm/json.hpp"

namespace ke {
namespace {

Digest hash_of(const Exchange& exchange) {
  Encoder out;
  out("cassette/1")(exchange);
  return out.digest();
}

Error malformed(const std::string& what) { return Error{Failure::config, what}; }

struct Secret {
  std::string_view start;
  std::size_t length;  ///< required number of following letters, digits, '-' and '_'
  std::string_view kind;
};
constexpr Secret secrets[] = {
    {"sk-", 20, "API key (sk-...)"},      {"AIza", 30, "API key (AIza...)"},
    {"Bearer ", 20, "bearer token"},      {"ghp_", 30, "access token (ghp_...)"},
    {"hf_", 30, "access token (hf_...)"}, {"AKIA", 16, "access key (AKIA...)"},
};

bool stands_in(std::string_view text, const Secret& secret) {
  const auto counts = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_';
  };
  for (std::size_t at = text.find(secret.start); at != text.npos;
       at = text.find(secret.start, at + 1)) {
    const std::string_view rest = text.substr(at + secret.start.size());
    const auto end = std::find_if_not(rest.begin(), rest.end(), counts);
    if (static_cast<std::size_t>(end - rest.begin()) >= secret.length) return true;
  }
  return false;
}

std::string whole_prompt(const LlmRequest& request) {
  std::string text;
  for (const Message& message : request.messages) text += message.text + "\n";
  return text;
}

/// Number of equal lines at the start of two texts.
std::size_t common_lines(const std::vector<std::string_view>& a,
                         const std::vector<std::string_view>& b) {
  const auto [at, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::size_t>(at - a.begin());
}

std::string line_at(const std::vector<std::string_view>& lines, std::size_t at) {
  return at < lines.size() ? std::string(lines[at].substr(0, 120)) : "its end";
}

}  // namespace

std::string cassette_line(const Exchange& exchange) {
  Json line{{"hash", hash_of(exchange).hex()}};
  line.update(exchange_json(exchange));
  return json_text(line);
}

Result<Exchange> read_cassette_line(std::string_view line) {
  const Json json = parse_json(line);
  const auto key = parse_digest(text_at(json, "key"));
  const Json* request = find(json, "request");
  if (!key || request == nullptr) return malformed("is no exchange");
  Exchange exchange;
  exchange.key = *key;
  exchange.request = read_request(*request);
  exchange.status = text_at(json, "status");
  exchange.reply = text_at(json, "reply");
  read_usage(json, exchange);
  read_detail(json, exchange.detail);
  if (const Json* dollars = find(json, "dollars"); dollars != nullptr && dollars->is_number()) {
    exchange.dollars = dollars->get<double>();
  }
  if (hash_of(exchange).hex() != text_at(json, "hash")) {
    return malformed("exchange " + key->short_hex() + " is not what its hash says: it was changed");
  }
  return exchange;
}

Result<std::map<Digest, Exchange>> read_cassette(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return Error{Failure::config, file + ": cannot be read"};
  std::map<Digest, Exchange> cassette;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (trim(line).empty() || line.starts_with('#')) continue;
    auto exchange = read_cassette_line(line);
    if (!exchange)
      return malformed(fmt::format("{}:{}: {}", file, number, exchange.error().message));
    const Digest key = exchange->key;
    cassette.insert_or_assign(key, *std::move(exchange));
  }
  return cassette;
}

std::vector<std::string> secrets_in(std::string_view text) {
  std::vector<std::string> found;
  for (const Secret& secret : secrets) {
    if (stands_in(text, secret)) found.emplace_back(secret.kind);
  }
  return found;
}

std::string nearest_exchange(const std::map<Digest, Exchange>& cassette,
                             const LlmRequest& request) {
  const std::string asked = whole_prompt(request);
  const auto lines = split(asked, '\n');
  const Exchange* nearest = nullptr;
  std::size_t most = 0;
  for (const auto& [key, exchange] : cassette) {
    const std::string other = whole_prompt(exchange.request);
    const std::size_t common = common_lines(lines, split(other, '\n'));
    if (nearest != nullptr && common <= most) continue;
    nearest = &exchange;
    most = common;
  }
  if (nearest == nullptr) return "the cassette is empty";
  const std::string other = whole_prompt(nearest->request);
  if (asked == other) {
    return "the nearest, " + nearest->key.short_hex() + ", asks the same for another slot or seed";
  }
  return fmt::format("the nearest, {}, differs from line {} on: '{}' instead of '{}'",
                     nearest->key.short_hex(), most + 1, line_at(split(other, '\n'), most),
                     line_at(lines, most));
}

}  // namespace ke

#include "operators/llm/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/text.hpp"

namespace ke {
namespace {

const Json* child(const Json& json, std::string_view name) {
  if (json.is_object()) {
    const auto found = json.find(std::string(name));
    return found == json.end() ? nullptr : &*found;
  }
  std::size_t position = 0;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), position);
  if (!json.is_array() || read.ec != std::errc() || position >= json.size()) return nullptr;
  return &json[position];
}

}  // namespace

const Json* find(const Json& json, std::string_view path) {
  const Json* at = &json;
  for (const std::string_view name : split(path, '/')) {
    at = child(*at, name);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::string text_at(const Json& json, std::string_view path) {
  const Json* found = find(json, path);
  return found != nullptr && found->is_string() ? found->get<std::string>() : "";
}

std::int64_t count_at(const Json& json, std::string_view path) {
  const Json* found = find(json, path);
  if (found == nullptr) return 0;
  double value = found->is_number() ? found->get<double>() : 0;
  if (found->is_string()) {
    const std::string& text = found->get_ref<const std::string&>();
    std::from_chars(text.data(), text.data() + text.size(), value);
  }
  if (!(value > 0)) return 0;
  return std::llround(std::min(value, static_cast<double>(largest_count)));
}

}  // namespace ke

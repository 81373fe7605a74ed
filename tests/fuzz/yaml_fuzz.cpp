// Fuzzes the strict YAML reader: the result is a document or an error with its place.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "experiments/run/yaml/read_yaml.hpp"

namespace ke {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void look_at(std::string_view text) {
  const auto document = read_yaml_text("fuzz.yaml", text);
  if (!document) require(document.error().message.starts_with("fuzz.yaml"));
  const auto value = read_yaml_value("a.b", text);
  if (!value) require(!value.error().message.empty());
}

}  // namespace
}  // namespace ke

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ke::look_at({reinterpret_cast<const char*>(data), size});
  return 0;
}

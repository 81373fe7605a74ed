#include "fitness/hip/code_object.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

#include "fitness/descriptors/elf.hpp"

namespace ke::hip {
namespace {

using Json = nlohmann::json;

constexpr std::uint32_t note_section = 7;       // SHT_NOTE
constexpr std::uint32_t amdgpu_metadata = 32;   // NT_AMDGPU_METADATA, a map in MessagePack
constexpr std::string_view owner{"AMDGPU", 7};  // includes the terminating zero

std::size_t padded(std::size_t bytes) { return (bytes + 3) / 4 * 4; }

/// The metadata among the notes of a section, or "".
std::string_view metadata_in(std::string_view notes) {
  constexpr std::size_t head_bytes = 12;
  while (notes.size() >= head_bytes) {
    std::uint32_t head[3];  // bytes of the owner, bytes of the text, type
    std::memcpy(head, notes.data(), head_bytes);
    const std::size_t text = head_bytes + padded(head[0]), end = text + padded(head[1]);
    if (text + head[1] > notes.size()) return {};
    const bool ours = head[2] == amdgpu_metadata && notes.substr(head_bytes, head[0]) == owner;
    if (ours) return notes.substr(text, head[1]);
    notes.remove_prefix(std::min(end, notes.size()));
  }
  return {};
}

const Json& member(const Json& map, const char* key) {
  static const Json none;
  if (!map.is_object()) return none;
  const auto found = map.find(key);
  return found == map.end() ? none : *found;
}

std::string text_of(const Json& map, const char* key) {
  const Json& value = member(map, key);
  return value.is_string() ? value.get<std::string>() : "";
}

std::size_t number_of(const Json& map, const char* key) {
  const Json& value = member(map, key);
  return value.is_number_unsigned() ? value.get<std::size_t>() : 0;
}

std::vector<KernelParameter> parameters_of(const Json& kernel) {
  std::vector<KernelParameter> list;
  for (const Json& one : member(kernel, ".args")) {
    if (text_of(one, ".value_kind").starts_with("hidden_")) continue;
    list.push_back({number_of(one, ".offset"), number_of(one, ".size")});
  }
  return list;
}

}  // namespace

Result<KernelParameters> kernel_parameters(std::string_view object) {
  KE_TRY(const ElfFile file, read_elf(object));
  for (const ElfSection& section : file.sections) {
    const std::string_view text = section.type == note_section ? metadata_in(section.content) : "";
    if (text.empty()) continue;
    const Json all = Json::from_msgpack(text, true, false);
    KernelParameters found;
    for (const Json& kernel : member(all, "amdhsa.kernels")) {
      found[text_of(kernel, ".name")] = parameters_of(kernel);
    }
    return found;
  }
  return Error{Failure::device, "no code object for AMD GPUs: it has no note AMDGPU"};
}

}  // namespace ke::hip

#include "fitness/opencl/program_check.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/codec.hpp"
#include "fitness/descriptors/elf.hpp"
#include "fitness/host/build/symbols.hpp"

namespace ke::opencl {
namespace {

constexpr std::string_view start_of_elf{
    "\x7f"
    "ELF\x02\x01\x01",
    7};
constexpr std::size_t header_bytes = 64;
constexpr std::uint64_t section_header_bytes = 64;
constexpr std::string_view load_time_code[] = {
    ".init_array", ".preinit_array", ".fini_array", ".ctors", ".dtors", ".init", ".fini"};

template <typename Word>
Word word_at(std::string_view bytes, std::size_t offset) {
  Word word;
  std::memcpy(&word, bytes.data() + offset, sizeof word);
  return word;
}

/// Linkers write the section headers last, so the file ends after them.
std::uint64_t size_of_elf(std::string_view bytes) {
  const auto headers = word_at<std::uint64_t>(bytes, 0x28);
  const auto count = word_at<std::uint16_t>(bytes, 0x3c);
  return headers < bytes.size() ? headers + count * section_header_bytes : 0;
}

/// Reads a file's path: the length of the path, the path, and the length of the file precede its
/// bytes.
std::string path_before(std::string_view binary, std::size_t at) {
  constexpr std::size_t word = sizeof(std::uint32_t), longest = 512;
  for (std::size_t length = 1; length < longest && length + 2 * word <= at; ++length) {
    const std::size_t begin = at - word - length;
    if (word_at<std::uint32_t>(binary, begin - word) != length) continue;
    return std::string(binary.substr(begin, length));
  }
  return {};
}

std::optional<Refusal> check_library(std::string_view library) {
  const auto file = read_elf(library);
  if (!file) return Refusal{"damaged_object", file.error().message};
  for (const ElfSymbol& symbol : file->symbols) {
    if (symbol.name.empty() || !symbol.undefined() || is_allowed_symbol(symbol.name)) continue;
    return Refusal{"forbidden_symbol", symbol.name};
  }
  for (const ElfSection& section : file->sections) {
    const bool runs = std::ranges::find(load_time_code, section.name) != std::end(load_time_code);
    if (runs && section.size > 0) return Refusal{"static_constructor", section.name};
  }
  return std::nullopt;
}

}  // namespace

std::vector<ProgramLibrary> libraries_in(std::string_view binary) {
  std::vector<ProgramLibrary> list;
  std::size_t at = binary.find(start_of_elf);
  while (at != binary.npos && at + header_bytes <= binary.size()) {
    const std::string_view rest = binary.substr(at);
    const std::uint64_t size = size_of_elf(rest);
    if (size >= header_bytes && size <= rest.size()) {
      list.push_back({path_before(binary, at), rest.substr(0, size)});
    }
    at = binary.find(start_of_elf, at + 1);
  }
  return list;
}

std::optional<Refusal> check_program(std::string_view binary) {
  const auto libraries = libraries_in(binary);
  if (libraries.empty()) return Refusal{"missing_code", "no kernel was compiled"};
  for (const ProgramLibrary& library : libraries) {
    if (auto problem = check_library(library.bytes)) return problem;
  }
  return std::nullopt;
}

Result<Digest> program_hash(std::string_view binary) {
  std::vector<std::string> hashes;
  for (const ProgramLibrary& library : libraries_in(binary)) {
    KE_TRY(const Digest hash, build_hash(library.bytes));
    hashes.push_back(hash.hex());
  }
  std::ranges::sort(hashes);
  Encoder all;
  all(hashes);
  return all.digest();
}

}  // namespace ke::opencl

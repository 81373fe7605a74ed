#pragma once
// A small reader of 64-bit little-endian x86 ELF files, objects and shared libraries. The bytes
// come from candidates, so every offset is checked; damaged files are errors, never crashes.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ke {

struct ElfSection {
  std::string name;
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint64_t alignment = 1;
  std::uint32_t link = 0;
  std::uint32_t info = 0;
  std::string_view content;  ///< into the file's bytes; empty for .bss

  bool allocated() const { return (flags & 2) != 0; }
  bool writable() const { return (flags & 1) != 0; }
  bool executable() const { return (flags & 4) != 0; }
};

struct ElfSymbol {
  enum class Binding { local = 0, global = 1, weak = 2, other = 3 };
  std::string name;
  Binding binding = Binding::local;
  std::uint8_t type =
      0;  ///< STT_*: 0 none, 1 object, 2 function, 3 section, 4 file, 6 tls, 10 ifunc
  std::uint16_t section = 0;  ///< 0 = undefined
  std::uint64_t value = 0;
  std::uint64_t size = 0;

  bool undefined() const { return section == 0; }
};

struct ElfRelocation {
  std::uint32_t section = 0;  ///< section that the relocation modifies
  std::uint64_t offset = 0;
  std::uint32_t type = 0;
  std::uint32_t symbol = 0;  ///< index into symbols
  std::int64_t addend = 0;
};

/// Views into `bytes`, which must outlive it. `symbols` is .symtab (objects) or .dynsym.
struct ElfFile {
  std::vector<ElfSection> sections;
  std::vector<ElfSymbol> symbols;
  std::vector<ElfRelocation> relocations;

  const ElfSection* find(std::string_view name) const;
};

/// Reads an object or a library of any 64-bit little-endian machine. Error: what is damaged.
Result<ElfFile> read_elf(std::string_view bytes);

}  // namespace ke

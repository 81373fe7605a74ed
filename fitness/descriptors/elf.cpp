#include "fitness/descriptors/elf.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace ke {
namespace {

Error damaged(std::string_view what) {
  return Error{Failure::io, "damaged ELF file: " + std::string(what)};
}

template <typename T>
std::optional<T> at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || sizeof(T) > bytes.size() - offset) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::optional<std::string_view> range(std::string_view bytes, std::uint64_t offset,
                                      std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return std::nullopt;
  return bytes.substr(offset, size);
}

std::string text_at(std::string_view table, std::uint64_t offset) {
  if (offset >= table.size()) return {};
  return std::string(table.substr(offset, table.substr(offset).find('\0')));
}

ElfSection section_of(const Elf64_Shdr& header) {
  ElfSection section;
  section.type = header.sh_type;
  section.flags = header.sh_flags;
  section.address = header.sh_addr;
  section.size = header.sh_size;
  section.alignment = header.sh_addralign;
  section.link = header.sh_link;
  section.info = header.sh_info;
  return section;
}

Result<void> read_sections(std::string_view bytes, const Elf64_Ehdr& header, ElfFile& file) {
  std::vector<std::uint32_t> names;
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const auto raw = at<Elf64_Shdr>(bytes, header.e_shoff + i * sizeof(Elf64_Shdr));
    if (!raw) return damaged("section header");
    ElfSection section = section_of(*raw);
    if (raw->sh_type != SHT_NOBITS && raw->sh_type != SHT_NULL) {
      const auto content = range(bytes, raw->sh_offset, raw->sh_size);
      if (!content) return damaged("section content");
      section.content = *content;
    }
    file.sections.push_back(std::move(section));
    names.push_back(raw->sh_name);
  }
  if (header.e_shstrndx >= file.sections.size()) return damaged("section names");
  const std::string_view table = file.sections[header.e_shstrndx].content;
  for (std::size_t i = 0; i < names.size(); ++i) file.sections[i].name = text_at(table, names[i]);
  return {};
}

ElfSymbol symbol_of(const Elf64_Sym& raw, std::string_view names) {
  ElfSymbol symbol;
  symbol.name = text_at(names, raw.st_name);
  const unsigned binding = ELF64_ST_BIND(raw.st_info);
  symbol.binding = static_cast<ElfSymbol::Binding>(std::min(binding, 3U));
  symbol.type = ELF64_ST_TYPE(raw.st_info);
  symbol.section = raw.st_shndx;
  symbol.value = raw.st_value;
  symbol.size = raw.st_size;
  return symbol;
}

Result<void> read_symbols(ElfFile& file) {
  const auto is = [](std::uint32_t type) {
    return [type](const ElfSection& section) { return section.type == type; };
  };
  auto table = std::find_if(file.sections.begin(), file.sections.end(), is(SHT_SYMTAB));
  if (table == file.sections.end()) {
    table = std::find_if(file.sections.begin(), file.sections.end(), is(SHT_DYNSYM));
  }
  if (table == file.sections.end()) return {};
  if (table->link >= file.sections.size()) return damaged("symbol names");
  const std::string_view names = file.sections[table->link].content;
  for (std::uint64_t at_byte = 0; at_byte < table->content.size(); at_byte += sizeof(Elf64_Sym)) {
    const auto raw = at<Elf64_Sym>(table->content, at_byte);
    if (!raw) return damaged("symbol table");
    file.symbols.push_back(symbol_of(*raw, names));
  }
  return {};
}

Result<void> read_relocations(ElfFile& file) {
  for (const ElfSection& section : file.sections) {
    if (section.type != SHT_RELA) continue;
    for (std::uint64_t i = 0; i < section.content.size(); i += sizeof(Elf64_Rela)) {
      const auto raw = at<Elf64_Rela>(section.content, i);
      if (!raw) return damaged("relocations");
      const auto symbol = static_cast<std::uint32_t>(ELF64_R_SYM(raw->r_info));
      if (symbol >= std::max<std::size_t>(file.symbols.size(), 1)) return damaged("relocation");
      file.relocations.push_back({section.info, raw->r_offset,
                                  static_cast<std::uint32_t>(ELF64_R_TYPE(raw->r_info)), symbol,
                                  raw->r_addend});
    }
  }
  return {};
}

}  // namespace

const ElfSection* ElfFile::find(std::string_view name) const {
  for (const ElfSection& section : sections) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

Result<ElfFile> read_elf(std::string_view bytes) {
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return damaged("no magic");
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
      header->e_shentsize != sizeof(Elf64_Shdr)) {
    return damaged("not 64-bit little-endian");
  }
  ElfFile file;
  KE_TRY_VOID(read_sections(bytes, *header, file));
  KE_TRY_VOID(read_symbols(file));
  KE_TRY_VOID(read_relocations(file));
  return file;
}

}  // namespace ke

#include "fitness/host/build/padding.hpp"

#include <elf.h>

#include <cstring>
#include <vector>

namespace ke {
namespace {

constexpr std::uint64_t line_bytes = 64;

template <typename T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

struct Section {
  std::string name;
  Elf64_Shdr header{};
  std::string content;
};

Section data(std::string name, std::uint64_t flags, std::string content) {
  Section section{std::move(name), {}, std::move(content)};
  section.header.sh_type = SHT_PROGBITS;
  section.header.sh_flags = flags;
  section.header.sh_addralign = line_bytes;
  return section;
}

constexpr char symbol_names[] = "\0__dso_handle";

// One symbol: __dso_handle, hidden, at the start of section 3 (.data).
Section symbols() {
  Elf64_Sym handle{};
  handle.st_name = 1;
  handle.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
  handle.st_other = STV_HIDDEN;
  handle.st_shndx = 3;
  handle.st_size = 8;
  Section table{".symtab", {}, std::string(sizeof(Elf64_Sym), '\0')};
  append(table.content, handle);
  table.header.sh_type = SHT_SYMTAB;
  table.header.sh_addralign = 8;
  table.header.sh_entsize = sizeof(Elf64_Sym);
  table.header.sh_link = 5;
  table.header.sh_info = 1;  // first global
  return table;
}

Section strings(std::string name, std::string content) {
  Section section{std::move(name), {}, std::move(content)};
  section.header.sh_type = SHT_STRTAB;
  section.header.sh_addralign = 1;
  return section;
}

std::string write_file(std::vector<Section> sections) {
  std::string names(1, '\0');
  for (Section& section : sections) {
    section.header.sh_name = static_cast<Elf64_Word>(names.size());
    names += section.name + '\0';
  }
  sections.back().content = names;
  std::string body;
  for (Section& section : sections) {
    body.resize((body.size() + line_bytes - 1) / line_bytes * line_bytes, '\0');
    section.header.sh_offset = line_bytes + body.size();
    section.header.sh_size = section.content.size();
    body += section.content;
  }
  body.resize((body.size() + line_bytes - 1) / line_bytes * line_bytes, '\0');
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_shoff = line_bytes + body.size();
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(sections.size());
  header.e_shstrndx = static_cast<Elf64_Half>(sections.size() - 1);
  std::string file;
  append(file, header);
  file += body;
  for (const Section& section : sections) append(file, section.header);
  return file;
}

}  // namespace

std::string padding_object(std::uint64_t cache_lines) {
  static_assert(sizeof(Elf64_Ehdr) == line_bytes);
  std::vector<Section> sections(1);
  sections.push_back(
      data(".text", SHF_ALLOC | SHF_EXECINSTR, std::string(cache_lines * line_bytes, '\x90')));
  sections.push_back(data(".rodata", SHF_ALLOC, std::string(cache_lines * line_bytes, '\0')));
  sections.push_back(data(".data", SHF_ALLOC | SHF_WRITE, std::string(8, '\0')));
  sections.push_back(symbols());
  sections.push_back(strings(".strtab", std::string(symbol_names, sizeof symbol_names)));
  sections.push_back(strings(".shstrtab", {}));
  return write_file(std::move(sections));
}

}  // namespace ke

#include "fitness/host/build/object_check.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "core/codec.hpp"
#include "fitness/descriptors/elf.hpp"
#include "fitness/host/build/load_time_code.hpp"
#include "fitness/host/build/symbols.hpp"

namespace ke {
namespace {

constexpr std::uint8_t type_object = 1, type_function = 2, type_section = 3, type_ifunc = 10;
constexpr std::uint32_t type_null = 0, type_bits = 1, type_symbols = 2, type_strings = 3,
                        type_relocations = 4, type_group = 17, type_symbol_indices = 18,
                        type_linker_options = 0x6fff4c01, type_addresses_taken = 0x6fff4c03,
                        type_attributes = 0x70000003;
constexpr std::uint16_t first_reserved = 0xff00;

constexpr std::string_view load_time_code[] = {
    ".init_array", ".fini_array", ".preinit_array", ".ctors", ".dtors", ".init", ".fini"};
constexpr std::string_view usual_sections[] = {".text",
                                               ".rodata",
                                               ".data",
                                               ".bss",
                                               ".tdata",
                                               ".tbss",
                                               ".eh_frame",
                                               ".gcc_except_table",
                                               ".note.gnu.property",
                                               ".lrodata",
                                               ".ldata",
                                               ".lbss"};

// `.text` and `.text.hot` belong to `.text`; `.textual` does not.
bool is_in(std::string_view section, std::string_view family) {
  return section == family || (section.starts_with(family) && section.size() > family.size() &&
                               section[family.size()] == '.');
}

template <std::size_t N>
bool is_in_any(std::string_view section, const std::string_view (&families)[N]) {
  return std::any_of(std::begin(families), std::end(families),
                     [&](std::string_view family) { return is_in(section, family); });
}

bool is_global(const ElfSymbol& symbol) {
  return symbol.binding != ElfSymbol::Binding::local && !symbol.undefined();
}

bool is_function(const ElfSymbol& symbol, std::string_view name, const ElfFile& file) {
  return symbol.name == name && symbol.binding == ElfSymbol::Binding::global &&
         symbol.type == type_function && symbol.section < file.sections.size() &&
         file.sections[symbol.section].executable();
}

// Names that the link exports. Only the entries themselves may define them.
constexpr std::string_view exported[] = {"kernel", "prepare", "reference"};

// Whether the symbol is a function that the judge calls.
bool is_entry(const ElfSymbol& symbol, const ElfFile& file) {
  return is_function(symbol, "kernel", file) || is_function(symbol, "prepare", file);
}

// Whether a global definition has the name of a library function or of a symbol that compilers and
// linkers make (_init would run while loading). The link keeps all other names private.
bool interposes(const ElfSymbol& symbol) {
  const std::string_view name = symbol.name;
  if (!name.starts_with("_Z")) {
    return name.starts_with("_") || is_allowed_symbol(name) ||
           std::ranges::find(exported, name) != std::end(exported);
  }
  for (const char* allocation : {"_Znw", "_Zna", "_Zdl", "_Zda"}) {
    if (name.starts_with(allocation)) return true;
  }
  // Instances of library templates are weak or unique; a strong one replaces the original.
  const bool strong = symbol.binding == ElfSymbol::Binding::global;
  return strong &&
         (name.starts_with("_ZSt") || name.starts_with("_ZNSt") || name.starts_with("_ZNKSt"));
}

std::string demangled(const std::string& name) {
  int status = 0;
  char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string plain = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return plain;
}

// The resolver of an indirect function would run while loading.
Refusal indirect(const ElfSymbol& symbol) {
  return {"ifunc",
          fmt::format("{} is chosen while loading (attribute target_clones or ifunc): write "
                      "one version and let @flags choose the instructions (-march=native)",
                      demangled(symbol.name))};
}

Refusal forbidden(const ElfSymbol& symbol) {
  const std::string_view header = header_of_symbol(symbol.name);
  std::string text = demangled(symbol.name) + " is not there for kernels";
  if (!header.empty()) {
    text += fmt::format(": remove <{}>{} and what needs it", header,
                        header == "iostream" ? " (<bits/stdc++.h> includes it)" : "");
  }
  return {"forbidden_symbol", std::move(text)};
}

std::optional<Refusal> check_symbols(const ElfFile& file, const ObjectRules& rules) {
  bool kernel = false;
  for (const ElfSymbol& symbol : file.symbols) {
    if (symbol.type == type_ifunc) return indirect(symbol);
    kernel = kernel || is_function(symbol, "kernel", file);
  }
  if (!kernel) return Refusal{"missing_kernel", "no function extern \"C\" kernel"};
  for (const ElfSymbol& symbol : file.symbols) {
    if (symbol.name.empty() || symbol.binding == ElfSymbol::Binding::local) continue;
    if (rules.instrumented && is_sanitizer_symbol(symbol.name)) continue;
    if (is_global(symbol) && !is_entry(symbol, file) && interposes(symbol)) {
      return Refusal{"extra_export",
                     demangled(symbol.name) + " has the name of a library function: rename it"};
    }
    if (rules.libraries && symbol.undefined() && is_vendor_symbol(symbol.name)) continue;
    if (symbol.undefined() && !is_allowed_symbol(symbol.name)) {
      return forbidden(symbol);
    }
  }
  return std::nullopt;
}

// Whether a section that is not loaded is one that tools write. The linker merges sections by name:
// contents of a section named `.rela.got` would become relocations that run code while loading.
bool is_bookkeeping(const ElfSection& section, const ElfFile& file) {
  const std::string_view name = section.name;
  switch (section.type) {
    case type_null: return name.empty();
    case type_symbols: return name == ".symtab";
    case type_strings: return name == ".strtab" || name == ".shstrtab";
    case type_symbol_indices: return name == ".symtab_shndx";
    case type_group: return name == ".group";
    case type_linker_options: return name == ".linker-options" && section.size == 0;
    case type_addresses_taken: return name == ".llvm_addrsig";
    case type_attributes: return name == ".riscv.attributes";
    case type_bits: return name == ".comment" || name == ".note.GNU-stack";
    case type_relocations:
      return section.info > 0 && section.info < file.sections.size() &&
             name == ".rela" + file.sections[section.info].name;
    default: return false;
  }
}

// The variable at a place in a section, or nothing. Relocations are relative to the end of an
// instruction, which is 4 to 8 bytes behind them.
const ElfSymbol* variable_at(const ElfFile& file, const ElfRelocation& relocation) {
  if (relocation.symbol >= file.symbols.size()) return nullptr;
  const ElfSymbol& target = file.symbols[relocation.symbol];
  if (target.type == type_object && !target.undefined()) return &target;
  if (target.type != type_section) return nullptr;
  for (const ElfSymbol& symbol : file.symbols) {
    const std::int64_t from = static_cast<std::int64_t>(symbol.value);
    const std::int64_t end = from + static_cast<std::int64_t>(symbol.size);
    const std::int64_t at = relocation.addend + 4;
    if (symbol.type == type_object && symbol.section == target.section && from <= at && at < end)
      return &symbol;
  }
  return nullptr;
}

// Compilers put the code that sets up global variables into .text.startup, or into functions with
// these names.
bool is_set_up(const ElfFile& file, const ElfRelocation& relocation) {
  if (relocation.section >= file.sections.size()) return false;
  if (file.sections[relocation.section].name.starts_with(".text.startup")) return true;
  return std::ranges::any_of(file.symbols, [&](const ElfSymbol& symbol) {
    const bool named =
        symbol.name.starts_with("_GLOBAL__sub_I") ||
        symbol.name.find("static_initialization_and_destruction") != std::string::npos;
    return named && symbol.section == relocation.section && symbol.value <= relocation.offset &&
           relocation.offset < symbol.value + symbol.size;
  });
}

Refusal runs_while_loading(const ElfFile& file, const ElfSection& section) {
  for (const ElfRelocation& relocation : file.relocations) {
    if (!is_set_up(file, relocation)) continue;
    const ElfSymbol* const variable = variable_at(file, relocation);
    if (variable == nullptr) continue;
    const std::string name = demangled(variable->name);
    return {"static_constructor",
            fmt::format("'{0}' is set up while loading: move it into a function, static auto& "
                        "{0}() {{ static TYPE value; return value; }}",
                        name.substr(name.rfind(':') + 1))};
  }
  return {"static_constructor",
          section.name + ": a kernel's code runs only when it is called, not while loading"};
}

std::optional<Refusal> check_sections(const ElfFile& file, bool instrumented) {
  for (const ElfSection& section : file.sections) {
    if (is_in_any(section.name, load_time_code)) {
      if (instrumented || section.size == 0) continue;
      if (is_in(section.name, ".init_array") && only_sets_up_variables(file, section)) continue;
      return runs_while_loading(file, section);
    }
    const bool usual = section.allocated() ? is_in_any(section.name, usual_sections)
                                           : is_bookkeeping(section, file);
    if ((!usual && !instrumented) || (section.writable() && section.executable())) {
      return Refusal{"forbidden_section", section.name};
    }
  }
  return std::nullopt;
}

// Only the family, because the rest of the name may be a function's name.
std::string_view family_of(std::string_view section) {
  for (const std::string_view family : usual_sections) {
    if (is_in(section, family)) return family;
  }
  return section;
}

bool is_hashed(const ElfSection& section) {
  return section.allocated() && !is_in(section.name, ".eh_frame") &&
         !section.name.starts_with(".note");
}

void encode_target(Encoder& out, const ElfFile& file, const std::vector<int>& order,
                   const ElfRelocation& relocation) {
  if (relocation.symbol >= file.symbols.size()) return void(out(0));
  const ElfSymbol& symbol = file.symbols[relocation.symbol];
  if (symbol.undefined()) return void(out(1)(symbol.name));
  const int place = symbol.section < order.size() ? order[symbol.section] : -1;
  out(2)(place)(symbol.value);
}

/// Relocations grouped by the section that they change; both may be many.
using Relocations = std::vector<std::vector<const ElfRelocation*>>;

Relocations by_section(const ElfFile& file) {
  Relocations lists(file.sections.size());
  for (const ElfRelocation& relocation : file.relocations) {
    if (relocation.section < lists.size()) lists[relocation.section].push_back(&relocation);
  }
  return lists;
}

void encode_section(Encoder& out, const ElfFile& file, std::uint32_t index,
                    const std::vector<const ElfRelocation*>& relocations,
                    const std::vector<int>& order) {
  const ElfSection& section = file.sections[index];
  out(family_of(section.name))(section.flags)(section.alignment)(section.size)(section.content);
  for (const ElfRelocation* relocation : relocations) {
    out(relocation->offset)(relocation->type)(relocation->addend);
    encode_target(out, file, order, *relocation);
  }
}

}  // namespace

std::optional<Refusal> check_object(std::string_view object, const ObjectRules& rules) {
  const auto file = read_elf(object);
  if (!file) return Refusal{"damaged_object", file.error().message};
  if (auto problem = check_symbols(*file, rules)) return problem;
  return check_sections(*file, rules.instrumented);
}

bool has_prepare(std::string_view object) {
  const auto file = read_elf(object);
  return file && std::ranges::any_of(file->symbols, [&](const ElfSymbol& symbol) {
           return is_function(symbol, "prepare", *file);
         });
}

std::vector<std::string> needed_libraries(std::string_view object) {
  const auto file = read_elf(object);
  if (!file) return {};
  std::set<std::string> libraries;
  for (const ElfSymbol& symbol : file->symbols) {
    if (symbol.undefined() && !symbol.name.empty()) libraries.emplace(library_of(symbol.name));
  }
  libraries.erase("");
  return {libraries.begin(), libraries.end()};
}

Result<Digest> build_hash(std::string_view object) {
  KE_TRY(const ElfFile file, read_elf(object));
  std::vector<int> order(file.sections.size(), -1);
  int next = 0;
  for (std::size_t i = 0; i < file.sections.size(); ++i) {
    if (is_hashed(file.sections[i])) order[i] = next++;
  }
  Encoder out;
  const Relocations relocations = by_section(file);
  for (std::uint32_t i = 0; i < file.sections.size(); ++i) {
    if (order[i] >= 0) encode_section(out, file, i, relocations[i], order);
  }
  for (const char* entry : {"kernel", "prepare"}) {  // hashes which functions they are
    for (const ElfSymbol& symbol : file.symbols) {
      if (symbol.name != entry || symbol.section >= first_reserved) continue;
      out(symbol.section < order.size() ? order[symbol.section] : -1)(symbol.value);
    }
  }
  return out.digest();
}

}  // namespace ke

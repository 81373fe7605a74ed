#include "fitness/cross/listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/text.hpp"

namespace ke::cross {
namespace {

constexpr std::uint64_t most_code = std::uint64_t{1} << 26;  // bytes
constexpr std::string_view section_head = "Disassembly of section ";

int rule_of(std::string_view name, const Chip& chip) {
  for (std::size_t i = 0; i < chip.costs.size(); ++i) {
    if (matches(name, chip.costs[i].instructions)) return static_cast<int>(i);
  }
  return -1;
}

/// The parts of `80010000:      \tadd\ta0, a1, a2`.
struct Line {
  std::uint64_t address = 0;
  std::string_view name, operands;
};

bool read_line(std::string_view line, Line& out) {
  line = trim(line);
  const std::size_t colon = line.find(':');
  if (colon == line.npos) return false;
  const char* end = line.data() + colon;
  const auto number = std::from_chars(line.data(), end, out.address, 16);
  if (number.ec != std::errc() || number.ptr != end) return false;
  const std::string_view rest = trim(line.substr(colon + 1));
  const std::size_t gap = std::min(rest.find_first_of(" \t"), rest.size());
  out.name = rest.substr(0, gap);
  out.operands = trim(rest.substr(gap));
  return !out.name.empty();
}

std::string text_of(const Line& line) {
  return line.operands.empty() ? std::string(line.name)
                               : fmt::format("{} {}", line.name, line.operands);
}

}  // namespace

double grouped_registers(std::string_view operands) {
  for (std::string_view word : split(operands, ',')) {
    word = trim(word);
    if (!word.starts_with('m')) continue;
    const bool part = word.starts_with("mf");
    word.remove_prefix(part ? 2 : 1);
    const int number = number_from<int>(word).value_or(0);
    if (number >= 1) return part ? 1.0 / number : number;
  }
  return 0;
}

Listing Listing::read(std::string_view printed, const Chip& chip,
                      const std::vector<std::string>& trusted) {
  Listing listing;
  bool ours = false;
  for (const std::string_view text : split(printed, '\n')) {
    if (text.starts_with(section_head)) {
      const std::string_view section = text.substr(section_head.size());
      ours = std::ranges::find(trusted, section.substr(0, section.find(':'))) != trusted.end();
      continue;
    }
    Line line;
    if (!read_line(text, line)) continue;
    Instruction one{.address = line.address, .rule = rule_of(line.name, chip)};
    one.text = text_of(line);
    if (!ours && matches(line.name, chip.refused)) {
      listing.refuse("forbidden_instruction", one.text);
    } else if (one.rule < 0) {
      listing.refuse("unpriced_instruction", one.text + ": no class of 'costs' names it");
    }
    if (matches(line.name, chip.vector_set)) one.grouped = grouped_registers(line.operands);
    listing.list_.push_back(std::move(one));
  }
  listing.make_index();
  return listing;
}

void Listing::refuse(std::string reason, std::string detail) {
  if (!problem_) problem_ = Refusal{std::move(reason), std::move(detail)};
}

void Listing::make_index() {
  if (list_.empty()) return refuse("no_code", "the disassembly is empty");
  std::ranges::stable_sort(list_, {}, &Instruction::address);
  const std::uint64_t first = list_.front().address;
  const std::uint64_t span = list_.back().address - first;
  if (span > most_code) return refuse("too_much_code", "more than 64 MiB");
  index_.assign(span / 2 + 1, -1);
  for (std::size_t i = 0; i < list_.size(); ++i) {
    index_[(list_[i].address - first) / 2] = static_cast<std::int32_t>(i);
  }
}

const Instruction* Listing::at(std::uint64_t address) const {
  if (index_.empty()) return nullptr;
  const std::uint64_t first = list_.front().address;
  if (address < first || (address - first) / 2 >= index_.size() || address % 2 != 0) return nullptr;
  const std::int32_t found = index_[(address - first) / 2];
  return found < 0 ? nullptr : &list_[static_cast<std::size_t>(found)];
}

}  // namespace ke::cross

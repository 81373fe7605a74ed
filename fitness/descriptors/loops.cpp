#include "fitness/descriptors/loops.hpp"

#include <algorithm>
#include <charconv>
#include <map>

namespace ke {
namespace {

// `0000000000001000 <kernel>:`
bool parse_header(std::string_view line, Function& function) {
  const std::size_t open = line.find(" <");
  if (open == std::string_view::npos || !line.ends_with(">:")) return false;
  const auto [end, error] = std::from_chars(line.data(), line.data() + open, function.start, 16);
  if (error != std::errc() || end != line.data() + open) return false;
  function.name = line.substr(open + 2, line.size() - open - 4);
  return true;
}

void finish(Function& function) {
  for (std::size_t i = 0; i + 1 < function.code.size(); ++i) {
    function.code[i].bytes = function.code[i + 1].address - function.code[i].address;
  }
  while (!function.code.empty() && function.code.back().nop) function.code.pop_back();
}

std::size_t index_at(const Function& function, std::uint64_t address) {
  const auto at = std::lower_bound(function.code.begin(), function.code.end(), address,
                                   [](const Instruction& instruction, std::uint64_t value) {
                                     return instruction.address < value;
                                   });
  return static_cast<std::size_t>(at - function.code.begin());
}

}  // namespace

std::uint64_t Function::bytes() const {
  return code.empty() ? 0
                      : code.back().address + std::max<std::uint64_t>(code.back().bytes, 1) - start;
}

std::vector<Function> parse_functions(std::string_view text) {
  std::vector<Function> functions;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    Function header;
    if (parse_header(line, header)) {
      functions.push_back(std::move(header));
    } else if (auto instruction = parse_instruction(line); instruction && !functions.empty()) {
      functions.back().code.push_back(*std::move(instruction));
    }
  }
  for (Function& function : functions) finish(function);
  return functions;
}

std::vector<std::size_t> reachable(const std::vector<Function>& functions,
                                   std::span<const std::uint64_t> extra) {
  std::map<std::uint64_t, std::size_t> starts;
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    starts[functions[i].start] = i;
    if (functions[i].name == "kernel" && found.empty()) found.push_back(i);
  }
  const auto visit = [&](std::uint64_t address) {
    auto at = starts.upper_bound(address);
    if (at == starts.begin()) return;
    const std::size_t index = (--at)->second;
    const Function& function = functions[index];
    if (function.code.empty() || address > function.code.back().address) return;
    if (std::find(found.begin(), found.end(), index) == found.end()) found.push_back(index);
  };
  if (found.empty()) return found;
  for (const std::uint64_t address : extra) visit(address);
  for (std::size_t next = 0; next < found.size(); ++next) {
    for (const Instruction& instruction : functions[found[next]].code) {
      if (instruction.target) visit(*instruction.target);
      if (instruction.reference) visit(*instruction.reference);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<Loop> find_loops(const Function& function, std::size_t index) {
  std::map<std::size_t, std::size_t> ends;  // first -> last: jumps to one target are one loop
  for (std::size_t i = 0; i < function.code.size(); ++i) {
    const Instruction& instruction = function.code[i];
    if (!instruction.jump || !instruction.target) continue;
    if (*instruction.target < function.start || *instruction.target > instruction.address) continue;
    ends[index_at(function, *instruction.target)] = i;
  }
  std::vector<Loop> loops;
  for (const auto& [first, last] : ends) loops.push_back({index, first, last, 0, true});
  for (Loop& inner : loops) {
    for (Loop& outer : loops) {
      if (&inner == &outer || outer.first > inner.first || outer.last < inner.last) continue;
      ++inner.depth;
      outer.innermost = false;
    }
  }
  return loops;
}

}  // namespace ke

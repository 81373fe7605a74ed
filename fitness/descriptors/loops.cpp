#include "fitness/descriptors/loops.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

namespace ke {
namespace {

// Parses `0000000000001000 <kernel>:`.
bool parse_header(std::string_view line, Function& function) {
  const std::size_t open = line.find(" <");
  if (open == std::string_view::npos || !line.ends_with(">:")) return false;
  const auto [end, error] = std::from_chars(line.data(), line.data() + open, function.start, 16);
  if (error != std::errc() || end != line.data() + open) return false;
  function.name = line.substr(open + 2, line.size() - open - 4);
  return true;
}

void finish(Function& function, std::uint64_t end) {
  for (std::size_t i = 0; i < function.code.size(); ++i) {
    const bool last = i + 1 == function.code.size();
    const std::uint64_t next = last ? end : function.code[i + 1].address;
    function.code[i].bytes = next - std::min(next, function.code[i].address);
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

// Index of the target of a direct jump within the function.
std::optional<std::size_t> jump_index(const Function& function, std::size_t at) {
  const Instruction& instruction = function.code[at];
  if (!instruction.jump || !instruction.target) return std::nullopt;
  const std::size_t index = index_at(function, *instruction.target);
  const bool inside = *instruction.target >= function.start && index < function.code.size();
  return inside ? std::optional(index) : std::nullopt;
}

// Whether the search for loops is fast enough. A binary that would take minutes gets no loops.
bool is_tractable(const Function& function) {
  constexpr std::size_t most_work = 20'000'000;
  std::size_t back = 0;
  for (std::size_t i = 0; i < function.code.size(); ++i) {
    const auto target = jump_index(function, i);
    if (target && *target <= i) ++back;
  }
  return back * function.code.size() <= most_work;
}

// Control flow between the instructions of one function.
class FlowGraph {
 public:
  explicit FlowGraph(const Function& function)
      : next_(function.code.size()), before_(function.code.size()) {
    for (std::size_t i = 0; i < function.code.size(); ++i) {
      const Instruction& instruction = function.code[i];
      const bool ends = instruction.mnemonic == "jmp" || instruction.mnemonic.starts_with("ret") ||
                        instruction.mnemonic == "ud2" || instruction.mnemonic == "hlt";
      if (!ends && i + 1 < function.code.size()) connect(i, i + 1);
      if (const auto target = jump_index(function, i)) connect(i, *target);
    }
  }

  // Whether every path from the entry to `node` passes `header`.
  bool dominates(std::size_t header, std::size_t node) const {
    return header == 0 || header == node || walk(next_, 0, header)[node] == 0;
  }
  // Everything that can reach `last` without passing `header`, including both.
  std::set<std::size_t> between(std::size_t header, std::size_t last) const {
    const std::vector<char> seen = walk(before_, last, header);
    std::set<std::size_t> body{header};
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (seen[i] != 0) body.insert(body.end(), i);
    }
    return body;
  }

 private:
  using Edges = std::vector<std::vector<std::size_t>>;
  void connect(std::size_t from, std::size_t to) {
    next_[from].push_back(to);
    before_[to].push_back(from);
  }
  // All nodes on paths from `start` that do not enter `barrier`.
  static std::vector<char> walk(const Edges& edges, std::size_t start, std::size_t barrier) {
    std::vector<char> seen(edges.size(), 0);
    std::vector<std::size_t> open;
    if (start != barrier) open.push_back(start);
    while (!open.empty()) {
      const std::size_t node = open.back();
      open.pop_back();
      if (seen[node] != 0) continue;
      seen[node] = 1;
      for (const std::size_t other : edges[node]) {
        if (other != barrier && seen[other] == 0) open.push_back(other);
      }
    }
    return seen;
  }
  Edges next_;
  Edges before_;
};

}  // namespace

std::uint64_t Function::bytes() const {
  return code.empty() ? 0 : code.back().address + code.back().bytes - start;
}

std::vector<Function> parse_functions(std::string_view text, std::uint64_t end_address) {
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
  for (std::size_t i = 0; i < functions.size(); ++i) {
    finish(functions[i], i + 1 < functions.size() ? functions[i + 1].start : end_address);
  }
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

std::vector<Loop> find_loops(const Function& function) {
  if (!is_tractable(function)) return {};
  const FlowGraph graph(function);
  std::map<std::size_t, std::set<std::size_t>> bodies;  // by header; jumps to one form one loop
  for (std::size_t i = 0; i < function.code.size(); ++i) {
    const auto target = jump_index(function, i);
    if (!target || *target > i || !graph.dominates(*target, i)) continue;
    bodies[*target].merge(graph.between(*target, i));
  }
  std::vector<Loop> loops;
  for (const auto& [header, body] : bodies) {
    loops.push_back({header, {body.begin(), body.end()}, 0, true});
  }
  for (Loop& inner : loops) {
    for (Loop& outer : loops) {
      if (&inner == &outer || !bodies[outer.header].contains(inner.header)) continue;
      ++inner.depth;
      outer.innermost = false;
    }
  }
  return loops;
}

}  // namespace ke

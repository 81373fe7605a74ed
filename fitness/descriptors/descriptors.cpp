#include "fitness/descriptors/descriptors.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.hpp"
#include "fitness/descriptors/elf.hpp"
#include "fitness/descriptors/instruction.hpp"
#include "fitness/sandbox/job.hpp"

namespace ke {
namespace {

/// One function; instructions in address order, alignment padding at its end removed.
struct Function {
  std::uint64_t start = 0;
  std::string name;  ///< only the name `kernel` matters
  std::vector<Instruction> code;

  std::uint64_t bytes() const {
    return code.empty() ? 0 : code.back().address + code.back().bytes - start;
  }
};

/// A natural loop: the instructions that can reach a jump back to `header`, which dominates them.
struct Loop {
  std::size_t header = 0;
  std::vector<std::size_t> body;  ///< indices of instructions in address order, with the header
  int depth = 0;                  ///< number of enclosing loops
  bool innermost = true;
};

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
  const auto at = std::ranges::lower_bound(function.code, address, {}, &Instruction::address);
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

/// All functions of objdump's text; `end` is the first address after the last one.
std::vector<Function> parse_functions(std::string_view text, std::uint64_t end_address) {
  std::vector<Function> functions;
  for (const std::string_view line : split(text, '\n')) {
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

/// Indices of the functions that control can reach from `kernel`, through calls, jumps and
/// addresses taken; `extra` are addresses in data. Empty when there is no `kernel`.
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

/// The loops of one function by header address. O(instructions x backward jumps); none when that
/// product exceeds 2e7.
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

constexpr double width_edges[] = {128, 256, 512};
constexpr double fraction_edges[] = {0.25, 0.5, 0.75, 0.95};
constexpr double intensity_edges[] = {0.0625, 0.125, 0.25, 0.5, 1, 2, 4, 8};
constexpr double bytes_edges[] = {128, 256, 512, 1024, 2048, 4096, 8192};
constexpr double share_edges[] = {0.025, 0.05, 0.1, 0.2};
constexpr double scratch_edges[] = {1, 256, 4096, 65536, 1048576};
constexpr double ops_edges[] = {1, 4, 16, 64, 256, 1024};
constexpr double undecoded_edges[] = {1};

constexpr DescriptorAxis axis_table[] = {
    {"vector_width", "bits",
     "most frequent width of floating-point arithmetic in the hot loop; a scalar counts its own "
     "size",
     width_edges},
    {"vector_fraction", "1", "share of the hot loop's flops done by packed instructions",
     fraction_edges},
    {"arithmetic_intensity", "flop/byte",
     "flops per byte loaded or stored in the hot loop; 64 when it touches no memory",
     intensity_edges},
    {"code_bytes", "byte", "size of all code that kernel reaches", bytes_edges},
    {"branch_share", "1", "jumps and calls among the hot loop's instructions", share_edges},
    {"scratch_bytes", "byte", "stack frames and writable data of the library", scratch_edges},
    {"ops_per_iteration", "flop", "flops from one backward jump of the hot loop to the next",
     ops_edges},
    {"undecoded_bytes", "byte", "bytes of reachable code that the disassembler does not know",
     undecoded_edges}};

constexpr double most_intensity = 64;
constexpr double call_work = 32;    // about one expf: its flops are invisible, but the loop is hot
constexpr double padding_data = 8;  // the linker's own object (padding_object)
constexpr std::size_t max_lines = 40;
constexpr std::uint32_t relocation_relative = 8;  // R_X86_64_RELATIVE
constexpr std::string_view allocator_symbols[] = {"malloc",        "calloc",         "realloc",
                                                  "aligned_alloc", "posix_memalign", "memalign"};

using Code = std::vector<Instruction>;

double work(const Code& code) {
  double sum = 0;
  for (const Instruction& i : code) {
    sum += i.flops + i.memory_bytes / 4 + (i.call ? call_work : 0) + (i.nop ? 0 : 0.01);
  }
  return sum;
}

Code body(const Function& function, const Loop& loop) {
  Code code;
  for (const std::size_t index : loop.body) code.push_back(function.code[index]);
  return code;
}

Code hot_loop(const std::vector<Function>& functions, const std::vector<std::size_t>& reached) {
  Code best;
  double most = -1;
  for (const std::size_t index : reached) {
    for (const Loop& loop : find_loops(functions[index])) {
      if (!loop.innermost) continue;
      Code code = body(functions[index], loop);
      const double score = work(code) * std::pow(4.0, std::min(loop.depth, 6));
      if (score <= most) continue;
      most = score;
      best = std::move(code);
    }
  }
  if (!best.empty()) return best;
  for (const std::size_t index : reached) {
    if (functions[index].name == "kernel") return functions[index].code;
  }
  return best;
}

double dominant_width(const Code& code) {
  std::map<int, int> arithmetic, any;
  for (const Instruction& instruction : code) {
    if (instruction.width_bits == 0) continue;
    ++any[instruction.width_bits];
    if (instruction.floating) ++arithmetic[instruction.width_bits];
  }
  const auto& votes = arithmetic.empty() ? any : arithmetic;
  int best = 0, most = 0;
  for (const auto& [width, count] : votes) {
    if (count >= most) {  // ties go to the wider one
      most = count;
      best = width;
    }
  }
  return best;
}

double packed_fraction(const Code& code) {
  double packed = 0, flops = 0, packed_moves = 0, moves = 0;
  for (const Instruction& instruction : code) {
    flops += instruction.flops;
    if (instruction.packed) packed += instruction.flops;
    if (instruction.width_bits == 0) continue;
    moves += 1;
    packed_moves += instruction.packed ? 1 : 0;
  }
  if (flops > 0) return packed / flops;
  return moves > 0 ? packed_moves / moves : 0;
}

double sum_of(const Code& code, double Instruction::*figure) {
  double sum = 0;
  for (const Instruction& instruction : code) sum += instruction.*figure;
  return sum;
}

double intensity(const Code& code) {
  const double bytes = sum_of(code, &Instruction::memory_bytes);
  const double flops = sum_of(code, &Instruction::flops);
  if (flops == 0) return 0;
  return bytes == 0 ? most_intensity : std::min(most_intensity, flops / bytes);
}

double branch_share(const Code& code) {
  double branches = 0, all = 0;
  for (const Instruction& instruction : code) {
    if (instruction.nop) continue;
    all += 1;
    branches += instruction.jump || instruction.call ? 1 : 0;
  }
  return all > 0 ? branches / all : 0;
}

double writable_bytes(const ElfFile& file) {
  double sum = -padding_data;
  for (const ElfSection& section : file.sections) {
    if (section.name == ".data" || section.name == ".bss" || section.name == ".tbss" ||
        section.name == ".tdata") {
      sum += static_cast<double>(section.size);
    }
  }
  return std::max(sum, 0.0);
}

bool takes_memory(const ElfFile& file) {
  return std::any_of(file.symbols.begin(), file.symbols.end(), [](const ElfSymbol& symbol) {
    if (!symbol.undefined()) return false;
    const std::string_view name = std::string_view(symbol.name).substr(0, symbol.name.find('@'));
    return name.starts_with("_Znw") || name.starts_with("_Zna") || holds(allocator_symbols, name);
  });
}

std::vector<std::string> listing(const Code& code) {
  std::vector<std::string> lines;
  for (const Instruction& instruction : code) {
    if (lines.size() == max_lines) break;
    std::string text = instruction.text;
    if (!instruction.callee.empty()) {
      text = instruction.mnemonic + " " + instruction.callee;
    } else if (instruction.target) {
      const auto offset = static_cast<std::int64_t>(*instruction.target - code.front().address);
      text =
          fmt::format("{} {}{:#x}", instruction.mnemonic, offset < 0 ? "-" : "+", std::abs(offset));
    }
    lines.push_back(fmt::format("{:4x}: {}", instruction.address - code.front().address, text));
  }
  return lines;
}

// The text with another function in place of `kernel`.
std::string with_entry(std::string text, std::string_view entry) {
  const std::string name = fmt::format("<{}>", entry);
  constexpr std::string_view kernel = "<kernel>";
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at)) {
    text.replace(at, name.size(), kernel);
    at += kernel.size();
  }
  return text;
}

std::vector<std::uint64_t> code_pointers(const ElfFile& file) {
  std::vector<std::uint64_t> addresses;
  for (const ElfRelocation& relocation : file.relocations) {
    if (relocation.type == relocation_relative)
      addresses.push_back(static_cast<std::uint64_t>(relocation.addend));
  }
  return addresses;
}

}  // namespace

std::span<const DescriptorAxis> descriptor_axes() { return axis_table; }

Result<Descriptors> describe_disassembly(std::string_view text, std::string_view shared_object) {
  KE_TRY(const ElfFile file, read_elf(shared_object));
  const ElfSection* code = file.find(".text");
  if (code == nullptr) return Error{Failure::io, "descriptors: the library has no code"};
  const std::vector<Function> functions = parse_functions(text, code->address + code->size);
  const std::vector<std::size_t> reached = reachable(functions, code_pointers(file));
  if (reached.empty()) return Error{Failure::io, "descriptors: the library has no function kernel"};
  double code_bytes = 0, stack = 0, undecoded = 0;
  for (const std::size_t index : reached) {
    code_bytes += static_cast<double>(functions[index].bytes());
    for (const Instruction& instruction : functions[index].code) {
      stack += static_cast<double>(instruction.stack_bytes);
      if (instruction.undecoded)
        undecoded += static_cast<double>(std::max<std::uint64_t>(instruction.bytes, 1));
    }
  }
  const Code hot = hot_loop(functions, reached);
  Descriptors out;
  out.measures = {{"vector_width", dominant_width(hot)},
                  {"vector_fraction", packed_fraction(hot)},
                  {"arithmetic_intensity", intensity(hot)},
                  {"code_bytes", code_bytes},
                  {"branch_share", branch_share(hot)},
                  {"scratch_bytes", stack + writable_bytes(file)},
                  {"ops_per_iteration", sum_of(hot, &Instruction::flops)},
                  {"undecoded_bytes", undecoded}};
  out.allocates = takes_memory(file);
  out.hot_loop = listing(hot);
  return out;
}

Result<Descriptors> describe_binary(const Tools& tools, std::string_view shared_object,
                                    std::string_view entry) {
  KE_TRY(const JobFolder folder, JobFolder::create(tools.scratch));
  KE_TRY_VOID(folder.write("kernel.so", shared_object));
  SandboxSpec spec = tools.spec(folder.path(), SandboxProfile::compiler);
  spec.argv = {"/usr/bin/objdump",   "-d", "-w",    "-M",       "intel",
               "--no-show-raw-insn", "-j", ".text", "kernel.so"};
  spec.limits.cpu_seconds = 10;
  spec.limits.processes = 4;
  KE_TRY(const ToolRun run, run_tool(spec, std::chrono::seconds(20), std::size_t{64} << 20));
  if (!run.exit.succeeded() || run.output_cut) {
    return Error{Failure::io, "descriptors: objdump failed: " + run.output.substr(0, 200)};
  }
  if (entry == "kernel") return describe_disassembly(run.output, shared_object);
  return describe_disassembly(with_entry(run.output, entry), shared_object);
}

}  // namespace ke

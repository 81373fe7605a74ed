#include "fitness/descriptors/descriptors.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "core/text.hpp"
#include "fitness/descriptors/code.hpp"
#include "fitness/descriptors/elf.hpp"
#include "fitness/descriptors/scratch_use.hpp"
#include "fitness/host/build/symbols.hpp"

namespace ke {
namespace {

constexpr double fraction_edges[] = {0.25, 0.5, 0.75, 0.95};
constexpr double intensity_edges[] = {0.0625, 0.125, 0.25, 0.5, 1, 2, 4, 8};
constexpr double bytes_edges[] = {128, 256, 512, 1024, 2048, 4096, 8192};
constexpr double share_edges[] = {0.025, 0.05, 0.1, 0.2};
constexpr double scratch_edges[] = {1, 256, 4096, 65536, 1048576};
constexpr double ops_edges[] = {1, 4, 16, 64, 256, 1024};
constexpr double undecoded_edges[] = {1};
constexpr double depth_edges[] = {3, 5};
constexpr double function_edges[] = {2, 8, 32};
constexpr double move_edges[] = {16, 128, 256};

constexpr DescriptorKind widths[] = {{"scalar", 0}, {"128", 128}, {"256", 256}, {"512", 512}};
constexpr DescriptorKind engines[] = {
    {"scalar", 0}, {"vector", 1}, {"dot", 2}, {"matrix", 3}, {"libm", 4}};
constexpr DescriptorKind data_paths[] = {
    {"direct", 0}, {"gather", 1}, {"packed", 2}, {"stream", 3}};
constexpr DescriptorKind threadings[] = {{"single", 0}, {"openmp", 1}, {"threads", 2}};

constexpr DescriptorAxis axis_table[] = {
    {.name = "vector_width",
     .unit = "bits",
     .doc = "most frequent width of floating-point arithmetic in the hot loop; a scalar counts its "
            "own size",
     .kinds = widths},
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
     undecoded_edges},
    {"loop_depth", "1", "loops around the hot loop and itself, those of callers included",
     depth_edges},
    {"functions", "1", "functions that kernel reaches, versions for certain sizes among them",
     function_edges},
    {"lane_moves", "1",
     "instructions that move values between the lanes of vectors (unpack, shuffle, permute) in all "
     "code that kernel reaches: none, sums of a few vectors, or transposed blocks",
     move_edges},
    {.name = "engine",
     .unit = "1",
     .doc =
         "what computes in the hot loop: scalar or vector instructions, vector instructions that "
         "add up products of narrow numbers (VNNI, bf16), matrix instructions (AMX), or calls of "
         "the mathematical library",
     .kinds = engines},
    {.name = "data_path",
     .unit = "1",
     .doc = "stream: a loop stores past the caches; packed: a loop copies into the kernel's own "
            "memory of at least 2 KiB, where the hot loop reads; gather: vectors of the hot loop "
            "are put together from "
            "several places; direct: none of these",
     .kinds = data_paths},
    {.name = "threading",
     .unit = "1",
     .doc = "who runs the code: one thread, an OpenMP team, or threads that the kernel starts",
     .kinds = threadings}};

constexpr double most_intensity = 64;
constexpr double nearly_equal = 1.05;
constexpr double dot_work = 64, matrix_work = 16384;
constexpr double call_work = 32;
constexpr double math_work = 256;   // about one expf, in flops of vectors
constexpr double padding_data = 8;  // the linker's own object (padding_object)
constexpr std::size_t max_lines = 40;
constexpr std::uint32_t relocation_relative = 8;  // R_X86_64_RELATIVE
constexpr std::string_view allocator_symbols[] = {"malloc",        "calloc",         "realloc",
                                                  "aligned_alloc", "posix_memalign", "memalign"};

bool is_dot(const Instruction& i) {
  return i.mnemonic.starts_with("vpdp") || i.mnemonic.starts_with("vdpbf16");
}
bool calls_math(const Instruction& i) {
  return !i.callee.empty() && (library_of(i.callee) == "m" || library_of(i.callee) == "mvec");
}
bool is_matrix_product(const Instruction& i) { return i.mnemonic.starts_with("tdp"); }

double work(const Instruction& i) {
  const double unseen = is_dot(i)              ? dot_work
                        : is_matrix_product(i) ? matrix_work
                        : calls_math(i)        ? math_work
                        : i.call               ? call_work
                                               : 0;
  const bool spills = i.text.find("[rsp") != i.text.npos || i.text.find("[rbp") != i.text.npos;
  return i.flops + unseen + (spills ? 0 : i.memory_bytes / 4) + (i.nop ? 0 : 0.01);
}

/// The loop with the most work of its own, or code that loops of callers repeat.
struct HotLoop {
  const Function* function = nullptr;
  std::vector<std::size_t> places;  ///< indices of instructions
  int loops = 0;                    ///< around the code, in all functions together
  double score = -1;

  /// `depth` loops of the function itself hold the part, which begins at `first`.
  void offer(const Function& other, const std::vector<std::size_t>& part, std::size_t first,
             int depth) {
    const int around = other.around + depth;
    const std::vector<double> frequencies = other.frequencies(part, first);
    std::vector<std::size_t> own = other.own(part, depth);
    double sum = 0;
    for (const std::size_t i : own) {
      const auto at = std::ranges::lower_bound(part, i) - part.begin();
      sum += frequencies[static_cast<std::size_t>(at)] * work(other.code[i]);
    }
    const bool innermost = own.size() == part.size();  // such loops go round most often
    const double theirs = sum * std::pow(4.0, std::min(around, 7) - (innermost ? 0 : 1));
    // A copy of a loop for edges costs nearly the same and has further code round it.
    const std::size_t size = function == nullptr ? other.code.size() : function->code.size();
    const double lead = other.code.size() < size   ? 1 / nearly_equal
                        : other.code.size() > size ? nearly_equal
                                                   : 1;
    if (theirs > lead * score && !own.empty()) *this = {&other, std::move(own), around, theirs};
  }
  Code code() const {
    Code list;
    for (const std::size_t index : places) list.push_back(function->code[index]);
    return list;
  }
};

HotLoop hot_loop(const std::vector<Function>& reached, std::string_view entry) {
  HotLoop best;
  const auto offer_all = [&](const Function& function) {
    std::vector<std::size_t> all(function.code.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    best.offer(function, all, 0, 0);
  };
  for (const Function& function : reached) {
    for (const Loop& loop : function.loops) {
      best.offer(function, loop.body, loop.header, loop.depth + 1);
    }
    if (function.around > 0) offer_all(function);
  }
  if (best.function == nullptr) offer_all(*std::ranges::find(reached, entry, &Function::name));
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

bool is_variable(const ElfSection& section) {
  return section.name == ".data" || section.name == ".bss" || section.name == ".tbss" ||
         section.name == ".tdata";
}

double writable_bytes(const ElfFile& file) {
  double sum = -padding_data;
  for (const ElfSection& section : file.sections) {
    if (is_variable(section)) sum += static_cast<double>(section.size);
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

std::vector<std::uint64_t> code_pointers(const ElfFile& file) {
  std::vector<std::uint64_t> addresses;
  for (const ElfRelocation& relocation : file.relocations) {
    if (relocation.type == relocation_relative)
      addresses.push_back(static_cast<std::uint64_t>(relocation.addend));
  }
  return addresses;
}

double value_of(std::span<const DescriptorKind> kinds, std::string_view label) {
  return std::ranges::find(kinds, label, &DescriptorKind::label)->value;
}

std::string_view engine(const Code& hot) {
  if (std::ranges::any_of(hot, is_matrix_product)) return "matrix";
  if (std::ranges::any_of(hot, is_dot)) return "dot";
  if (std::ranges::any_of(hot, calls_math)) return "libm";
  return packed_fraction(hot) > 0.5 ? "vector" : "scalar";
}

// Whether vectors of the hot loop are put together from elements in several places.
bool gathers(const Code& hot) {
  if (packed_fraction(hot) <= 0.5) return false;
  int inserts = 0, elements = 0;
  for (const Instruction& i : hot) {
    const auto has = [&](std::string_view part) {
      return i.mnemonic.find(part) != std::string::npos;
    };
    if (i.memory_bytes > 0 && (has("gather") || has("scatter"))) return true;
    const bool insert = has("insertps") || has("pinsr") || has("unpcklp") || has("movhp");
    if (insert) ++inserts;
    if (i.flops > 0 || !(insert || (i.width_bits > 0 && !i.packed))) continue;
    const std::size_t open = i.text.find('[', std::min(i.text.size(), i.text.find(',')));
    if (open == i.text.npos) continue;  // no load
    const std::string base = i.text.substr(open + 1, 3);
    if (base != "rsp" && base != "rbp" && base != "rip") ++elements;
  }
  return inserts >= 2 && elements >= 2;
}

double lane_moves(const std::vector<Function>& reached) {
  double moves = 0;
  for (const Function& function : reached) {
    moves += static_cast<double>(std::ranges::count_if(function.code, [](const Instruction& i) {
      return i.width_bits > 0 && (i.mnemonic.find("unpck") != std::string::npos ||
                                  i.mnemonic.find("shuf") != std::string::npos ||
                                  i.mnemonic.find("perm") != std::string::npos);
    }));
  }
  return moves;
}

bool streams(const std::vector<Function>& reached) {
  return std::ranges::any_of(reached, [](const Function& function) {
    return std::ranges::any_of(function.loops, [&](const Loop& loop) {
      return std::ranges::any_of(loop.body, [&](std::size_t i) {
        const std::string_view name = function.code[i].mnemonic;
        return name.find("movnt") != name.npos && !name.ends_with("a");  // movntdqa loads
      });
    });
  });
}

std::string_view threading(const std::vector<Function>& reached) {
  std::string_view found = "single";
  for (const Function& function : reached) {
    for (const Instruction& i : function.code) {
      if (i.callee.starts_with("GOMP_parallel")) return "openmp";
      if (i.callee == "pthread_create" || i.callee.starts_with("_ZNSt6thread15_M_start_thread"))
        found = "threads";
    }
  }
  return found;
}

// Everything of one library that the measures are made of.
struct Binary {
  ElfFile file;
  std::vector<Function> reached, prepared;  ///< from the entry, from `prepare`
  double scratch_bytes = 0;
  bool allocates = false;
};

bool packs(const Binary& binary, const HotLoop& hot) {
  constexpr double smallest = 2048;  // spilled registers and single tiles take less
  if (binary.scratch_bytes < smallest && !binary.allocates) return false;
  const auto in_variable = [&](std::uint64_t address) {
    return std::ranges::any_of(binary.file.sections, [&](const ElfSection& section) {
      return (is_variable(section) || section.name.starts_with(".got")) &&
             address >= section.address && address - section.address < section.size;
    });
  };
  const ScratchUse use(binary.reached, in_variable);
  return use.reads(*hot.function, hot.places) &&
         (use.copies() || ScratchUse(binary.prepared, in_variable).copies());
}

std::string_view data_path(const Binary& binary, const HotLoop& hot) {
  if (streams(binary.reached)) return "stream";
  if (packs(binary, hot)) return "packed";
  return gathers(hot.code()) ? "gather" : "direct";
}

}  // namespace

std::span<const DescriptorAxis> descriptor_axes() { return axis_table; }

Result<Descriptors> describe_disassembly(std::string_view text, std::string_view shared_object,
                                         std::string_view entry) {
  Binary binary;
  KE_TRY(binary.file, read_elf(shared_object));
  const ElfSection* section = binary.file.find(".text");
  if (section == nullptr) return Error{Failure::io, "descriptors: the library has no code"};
  const auto functions = parse_functions(text, section->address + section->size);
  binary.reached = reached_functions(functions, entry, code_pointers(binary.file));
  binary.prepared = reached_functions(functions, "prepare", {});
  if (binary.reached.empty())
    return Error{Failure::io, "descriptors: the library has no function " + std::string(entry)};
  double code_bytes = 0, undecoded = 0;
  binary.scratch_bytes = writable_bytes(binary.file);
  for (const Function& function : binary.reached) {
    code_bytes += static_cast<double>(function.bytes());
    for (const Instruction& instruction : function.code) {
      binary.scratch_bytes += static_cast<double>(instruction.stack_bytes);
      if (instruction.undecoded)
        undecoded += static_cast<double>(std::max<std::uint64_t>(instruction.bytes, 1));
    }
  }
  binary.allocates = takes_memory(binary.file);
  const HotLoop hottest = hot_loop(binary.reached, entry);
  const Code hot = hottest.code();
  Descriptors out;
  out.measures = {{"vector_width", dominant_width(hot)},
                  {"vector_fraction", packed_fraction(hot)},
                  {"arithmetic_intensity", intensity(hot)},
                  {"code_bytes", code_bytes},
                  {"branch_share", branch_share(hot)},
                  {"scratch_bytes", binary.scratch_bytes},
                  {"ops_per_iteration", sum_of(hot, &Instruction::flops)},
                  {"undecoded_bytes", undecoded},
                  {"loop_depth", hottest.loops},
                  {"functions", static_cast<double>(binary.reached.size())},
                  {"lane_moves", lane_moves(binary.reached)},
                  {"engine", value_of(engines, engine(hot))},
                  {"data_path", value_of(data_paths, data_path(binary, hottest))},
                  {"threading", value_of(threadings, threading(binary.reached))}};
  out.allocates = binary.allocates;
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
  return describe_disassembly(run.output, shared_object, entry);
}

}  // namespace ke

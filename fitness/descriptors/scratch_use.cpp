#include "fitness/descriptors/scratch_use.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "core/text.hpp"

namespace ke {
namespace {

constexpr std::string_view registers[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                          "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
constexpr std::string_view halves[] = {"eax",  "ecx",  "edx",  "ebx", "esp",  "ebp",
                                       "esi",  "edi",  "r8d",  "r9d", "r10d", "r11d",
                                       "r12d", "r13d", "r14d", "r15d"};
constexpr std::size_t none = 16, rax = 0, rsp = 4, rbp = 5, rdi = 7;
constexpr std::size_t changed_by_calls[] = {0, 1, 2, 6, 7, 8, 9, 10, 11};
constexpr std::string_view address_givers[] = {
    "malloc", "calloc", "realloc", "aligned_alloc", "memalign", "reallocarray", "__tls_get_addr"};
constexpr std::string_view copiers[] = {"memcpy", "memmove", "mempcpy", "__memcpy_chk",
                                        "__memmove_chk"};
constexpr std::size_t most_instructions = 50'000;

template <std::size_t N>
std::size_t index_in(const std::string_view (&names)[N], std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(names, name) - std::begin(names));
}

/// Addresses of the kernel's own memory that a register or spill slot may hold.
enum Address : std::uint8_t {
  lasting = 1,  ///< of variables, of memory from an allocator
  stack = 2,
  passed = 4  ///< perhaps lasting: from a structure on the stack, where the code has such addresses
};
using Addresses = std::array<std::uint8_t, 16>;  ///< by register

Addresses joined(Addresses one, const Addresses& other) {
  for (std::size_t i = 0; i < one.size(); ++i) one[i] |= other[i];
  return one;
}

/// An operand: a register, memory, or something else.
struct Operand {
  std::size_t whole = none;  ///< 64-bit register
  std::size_t half = none;   ///< 32-bit register, whose upper half becomes zero when it is written
  bool memory = false;
  std::size_t base = none, index = none;
  std::string_view text;

  bool of_register() const { return whole != none || half != none; }
  bool of_vector() const { return text.starts_with("xmm"); }
  /// Name of a spill slot, which may be a vector register.
  std::string_view place() const {
    return memory ? text.substr(std::min(text.size(), text.find('['))) : text;
  }
};

Operand read_operand(std::string_view text) {
  Operand out;
  out.text = trim(text);
  out.whole = index_in(registers, out.text);
  out.half = index_in(halves, out.text);
  const std::size_t open = out.text.find('[');
  if (open == std::string_view::npos) {
    out.memory = out.text.find("PTR") != std::string_view::npos;  // fs:0x0
    return out;
  }
  out.memory = true;
  const std::string_view inside = out.text.substr(open + 1, out.text.find(']') - open - 1);
  for (std::string_view part : split(inside, '+')) {
    part = part.substr(0, part.find('-'));
    const bool scaled = part.find('*') != std::string_view::npos;
    const std::size_t number = index_in(registers, part.substr(0, part.find('*')));
    if (number == none) continue;
    (scaled || out.base != none ? out.index : out.base) = number;
  }
  return out;
}

struct Step {
  const Instruction* instruction = nullptr;
  Operand to, from;
  std::size_t target = 0;
};

/// Follows addresses through one function.
class Trace {
 public:
  Trace(const Function& function, const std::function<bool(std::uint64_t)>& is_variable)
      : function_(function), is_variable_(is_variable), before_(function.code.size(), Addresses{}) {
    for (std::size_t i = 0; i < function.code.size(); ++i) {
      Step step{&function.code[i], {}, {}, function.jump_index(i)};
      const auto operands = function.code[i].operands();
      if (!operands.empty()) step.to = read_operand(operands.front());
      if (operands.size() > 1) step.from = read_operand(operands.back());
      framed_ = framed_ || (step.to.whole == rbp && step.from.whole == rsp &&
                            step.instruction->mnemonic == "mov");
      steps_.push_back(step);
    }
  }

  /// Goes on from what is known; calls `called(address, state, held)` at each call and jump
  /// elsewhere, which answers whether the result is an address of lasting memory. `held` says
  /// whether the code so far has such addresses.
  template <class Called>
  void follow(const Addresses& entry, bool held, Called called) {
    if (steps_.empty()) return;
    held_ = held_ || held;
    before_[0] = joined(before_[0], entry);
    for (bool changed = true; changed;) {
      changed = false;
      Addresses state{};
      for (std::size_t i = 0; i < steps_.size(); ++i) {
        state = joined(state, before_[i]);
        state[rsp] = stack;
        changed = changed || state != before_[i];
        before_[i] = state;
        changed = take(steps_[i], state, called) || changed;
        if (const std::size_t target = steps_[i].target; target < steps_.size()) {
          const Addresses known = before_[target];
          before_[target] = joined(known, state);
          changed = changed || (target <= i && known != before_[target]);
        }
        if (steps_[i].instruction->leaves()) state = {};
      }
    }
  }

  bool is_of(const Function& function) const { return &function_ == &function; }
  bool gives_lasting() const { return gives_lasting_; }

  /// Whether an instruction at one of these places reads the kernel's own memory.
  bool reads(const std::vector<std::size_t>& places) const {
    return std::ranges::any_of(places, [&](std::size_t i) {
      const Operand& from = steps_[i].from;
      return steps_[i].instruction->memory_bytes > 0 && from.memory && !is_slot(from) &&
             at(from, before_[i]) != 0;
    });
  }

  bool copies() const {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Instruction& one = *steps_[i].instruction;
      const bool moves = one.call ? holds(copiers, one.callee) : one.text.starts_with("rep movs");
      if (moves && (before_[i][rdi] & (lasting | stack)) != 0) return true;
    }
    return std::ranges::any_of(function_.loops,
                               [&](const Loop& loop) { return loop.innermost && copies_in(loop); });
  }

 private:
  // A place in the frame that one variable or spilled register has to itself.
  bool is_slot(const Operand& operand) const {
    return operand.index == none && (operand.base == rsp || (framed_ && operand.base == rbp));
  }

  // Addresses in the registers of a memory operand.
  static std::uint8_t at(const Operand& operand, const Addresses& state) {
    std::uint8_t found = 0;
    for (const std::size_t part : {operand.base, operand.index}) {
      if (part != none) found |= state[part];
    }
    return found;
  }

  bool names_variable(const Step& step) const {
    const auto& reference = step.instruction->reference;
    return reference && is_variable_(*reference);
  }

  std::uint8_t loaded(const Step& step, const Addresses& state) const {
    const Operand& from = step.from;
    if (is_slot(from) || from.of_vector()) {
      const auto slot = slots_.find(from.place());
      return slot != slots_.end() ? slot->second : held_ ? passed : 0;
    }
    if (from.base == none) {
      const bool of_thread = from.text.find("fs:0x0") != from.text.npos;
      return of_thread || names_variable(step) ? lasting : 0;
    }
    const std::uint8_t base = state[from.base];
    return (base & lasting) | ((base & stack) != 0 && held_ ? passed : 0);
  }

  void write(const Step& step, Addresses& state) const {
    const std::string_view name = step.instruction->mnemonic;
    const std::size_t to = step.to.whole;
    if (to == none) {
      state[step.to.half] = 0;
      return;
    }
    std::uint8_t value = 0;
    if (name == "lea") {
      value = at(step.from, state) | (names_variable(step) ? lasting : 0);
    } else if (name == "mov" || name == "add" || name.starts_with("cmov") ||
               name.ends_with("movq")) {
      if (step.from.whole != none) value = state[step.from.whole];
      if (step.from.memory || step.from.of_vector()) value = loaded(step, state);
    }
    const bool keeps = name == "add" || name == "sub" || name == "and" || name == "inc" ||
                       name == "dec" || name == "cmp" || name == "test" || name == "push" ||
                       name.starts_with("cmov") || name.starts_with("bt");
    state[to] = keeps ? state[to] | value : value;
  }

  // Answers whether what is known of spill slots changed.
  template <class Called>
  bool take(const Step& step, Addresses& state, Called& called) {
    const Instruction& one = *step.instruction;
    // Functions without a result leave anything in rax: what is not used does not count.
    const std::uint8_t used = step.from.whole != none ? state[step.from.whole] : 0;
    held_ = held_ || ((used | at(step.from, state) | at(step.to, state)) & lasting) != 0;
    if (one.mnemonic.starts_with("ret")) {
      gives_lasting_ = gives_lasting_ || (state[rax] & lasting) != 0;
    }
    const bool elsewhere = one.target && (one.call || step.target >= steps_.size());
    if (one.call || elsewhere) {
      const bool gives = holds(address_givers, one.callee) || one.callee.starts_with("_Znw") ||
                         one.callee.starts_with("_Zna") ||
                         (elsewhere && called(*one.target, state, held_));
      if (one.call) {
        const bool same = one.callee == "memset" || holds(copiers, one.callee);
        const std::uint8_t result = same ? state[rdi] : gives ? lasting : 0;
        for (const std::size_t changed : changed_by_calls) state[changed] = 0;
        state[rax] = result;
      } else {
        gives_lasting_ = gives_lasting_ || gives;
      }
    } else if ((one.mnemonic == "mov" && step.to.memory && is_slot(step.to)) ||
               (one.mnemonic.ends_with("movq") && step.to.of_vector())) {
      if (step.from.whole == none) return false;
      std::uint8_t& slot = slots_[step.to.place()];
      const std::uint8_t known = slot;
      slot |= state[step.from.whole];
      return slot != known;
    } else if (step.to.of_register() && !one.jump) {
      write(step, state);
    }
    return false;
  }

  bool copies_in(const Loop& loop) const {
    bool reads = false, writes = false;
    for (const std::size_t i : loop.body) {
      const Step& step = steps_[i];
      const std::string& name = step.instruction->mnemonic;
      if (step.instruction->flops > 0) return false;
      if (step.instruction->memory_bytes == 0 || step.instruction->call) continue;
      if (step.to.memory && step.to.base != none) {
        const bool moves = name.find("mov") != name.npos || name.starts_with("vextract");
        const bool owned = (at(step.to, before_[i]) & (lasting | stack)) != 0;
        writes = writes || (moves && !is_slot(step.to) && owned);
      } else if (step.from.memory && step.from.base != none) {
        reads = reads || !is_slot(step.from);
      }
    }
    return reads && writes;
  }

  const Function& function_;
  const std::function<bool(std::uint64_t)>& is_variable_;
  std::vector<Step> steps_;
  std::vector<Addresses> before_;
  std::map<std::string_view, std::uint8_t> slots_;  // what was stored, by place
  bool framed_ = false;                             // rbp is the frame's base
  bool gives_lasting_ = false;                      // returns an address of lasting memory
  bool held_ = false;                               // this function or a caller had such an address
};

}  // namespace

/// The traces of all functions, by address.
class ScratchUse::Traces : public std::map<std::uint64_t, Trace> {};

ScratchUse::ScratchUse(const std::vector<Function>& functions,
                       std::function<bool(std::uint64_t)> is_variable)
    : is_variable_(std::move(is_variable)), traces_(std::make_unique<Traces>()) {
  std::size_t instructions = 0;
  for (const Function& function : functions) instructions += function.code.size();
  if (instructions > most_instructions) return;
  for (const Function& function : functions) {
    traces_->try_emplace(function.start, function, is_variable_);
  }
  std::map<std::uint64_t, std::pair<Addresses, bool>> entries;
  for (bool changed = true; changed;) {
    changed = false;
    const auto called = [&](std::uint64_t address, Addresses state, bool held) {
      const auto callee = traces_->find(address);
      if (callee == traces_->end()) return false;
      state[rsp] = 0;
      auto& entry = entries[address];
      const auto known = entry;
      entry = {joined(known.first, state), known.second || held};
      changed = changed || known != entry;
      return callee->second.gives_lasting();
    };
    for (auto& [start, trace] : *traces_) {
      const bool gave = trace.gives_lasting();
      const auto [state, held] = entries[start];
      trace.follow(state, held, called);
      changed = changed || gave != trace.gives_lasting();
    }
  }
}

ScratchUse::~ScratchUse() = default;

bool ScratchUse::copies() const {
  return std::ranges::any_of(*traces_, [](const auto& trace) { return trace.second.copies(); });
}

bool ScratchUse::reads(const Function& function, const std::vector<std::size_t>& places) const {
  const auto trace = traces_->find(function.start);
  return trace != traces_->end() && trace->second.is_of(function) && trace->second.reads(places);
}

}  // namespace ke

#include "fitness/cross/machine.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>

#include "fitness/content/compare.hpp"
#include "fitness/sandbox/fd.hpp"

namespace ke::cross {
namespace {

std::optional<std::uint64_t> hexadecimal(std::string_view text) {
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (read.ec != std::errc() || read.ptr == text.data()) return std::nullopt;
  return value;
}

class TraceReader {
 public:
  TraceReader(const Chip& chip, const Listing& listing, std::uint64_t end_of_call)
      : chip_(chip), listing_(listing), end_of_call_(end_of_call) {
    start_call();
  }

  Result<void> line(std::string_view text) {
    if (text.starts_with("Trace ")) {
      // Trace 0: 0x7f3a10000100 [00000000/0000000080011000/00108009/ff000200] symbol
      const std::size_t slash = text.find('/');
      const auto pc = slash == text.npos ? std::nullopt : hexadecimal(text.substr(slash + 1));
      if (!pc) return Error{Failure::io, fmt::format("the trace holds '{}'", text)};
      KE_TRY_VOID(run_pending());
      pending_ = pc;
    } else if (text.starts_with("Stopped execution of TB chain before")) {
      pending_.reset();  // the machine left the block at once because of an event
    } else if (text.starts_with("IN:")) {
      block_ = nullptr;
    } else if (text.starts_with("0x")) {
      if (const auto address = hexadecimal(text.substr(2))) add_to_block(*address);
    }
    return {};
  }

  Result<std::vector<Counts>> finish() {
    KE_TRY_VOID(run_pending());
    return std::move(calls_);
  }

 private:
  void start_call() {
    now_ = Counts();
    now_.of_rule.assign(chip_.costs.size(), 0);
    grouped_ = 1;
  }

  void add_to_block(std::uint64_t address) {
    if (block_ == nullptr) {
      block_ = &blocks_[address];
      block_->clear();
    }
    block_->push_back(address);
  }

  Result<void> run_pending() {
    if (!pending_) return {};
    const std::uint64_t pc = *pending_;
    pending_.reset();
    if (pc == end_of_call_) {
      calls_.push_back(std::move(now_));
      start_call();
      return {};
    }
    const auto block = blocks_.find(pc);
    if (block == blocks_.end()) {
      return Error{Failure::io, fmt::format("the trace does not show the block at {:#x}", pc)};
    }
    for (const std::uint64_t address : block->second) execute(address);
    return {};
  }

  void execute(std::uint64_t address) {
    const Instruction* const one = listing_.at(address);
    if (one == nullptr || one->rule < 0) {
      if (!now_.hidden) now_.hidden = address;
      return;
    }
    const CostRule& rule = chip_.costs[static_cast<std::size_t>(one->rule)];
    if (one->grouped > 0) grouped_ = one->grouped;
    ++now_.instructions;
    ++now_.of_rule[static_cast<std::size_t>(one->rule)];
    now_.cost += rule.cost * units(rule);
  }

  /// Passes of the datapath; a partial register takes a full pass.
  double units(const CostRule& rule) {
    if (rule.scale == CostRule::Scale::none) return 1;
    const double registers = rule.scale == CostRule::Scale::fixed ? rule.registers : grouped_;
    ++now_.vector_instructions;
    now_.vector_registers += registers;
    return std::max(1.0, registers * chip_.vector_bits / chip_.datapath_bits);
  }

  const Chip& chip_;
  const Listing& listing_;
  std::uint64_t end_of_call_;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> blocks_;  ///< by first address
  std::vector<std::uint64_t>* block_ = nullptr;  ///< the block that in_asm is printing
  std::optional<std::uint64_t> pending_;         ///< runs unless the next line revokes it
  double grouped_ = 1;
  Counts now_;
  std::vector<Counts> calls_;
};

}  // namespace

Result<std::vector<Counts>> read_trace(std::string_view log, const Chip& chip,
                                       const Listing& listing, std::uint64_t end_of_call) {
  TraceReader reader(chip, listing, end_of_call);
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    KE_TRY_VOID(reader.line(log.substr(0, end)));
    log.remove_prefix(std::min(end + 1, log.size()));
  }
  return reader.finish();
}

// Messages between judge and start-up file in the chip's memory, all words little-endian. The
// start-up file makes the calls in order. For each, it opens only the given regions to the kernel
// and calls it. It ends the machine after the last call or the first trap.

/// A region that the kernel may access.
struct MailboxRegion {
  enum Rights : std::uint64_t { read = 1, write = 2, execute = 4 };
  std::uint64_t begin, end, rights;  ///< rights 0: unused
};

struct MailboxCall {
  enum Status : std::uint64_t { waiting = 0, returned = 1, trapped = 2 };
  std::uint64_t arguments[most_arguments];
  MailboxRegion regions[most_regions];
  std::uint64_t status, cause, pc, address;  ///< written by the start-up file
  std::uint64_t count;                       ///< counter after the call minus counter before it
  std::uint64_t unused[3];
};
static_assert(sizeof(MailboxCall) == 320);

struct MailboxHead {
  std::uint64_t calls;
  std::uint64_t limit;  ///< ticks per call, 0 = none
  std::uint64_t unused[6];
};
static_assert(sizeof(MailboxHead) == 64);  // the calls follow

namespace {

/// The pages of a tensor, without its guard pages.
MailboxRegion pages_of(const Extent& tensor, std::int64_t region, std::uint64_t rights) {
  constexpr std::int64_t page = Placement::page;
  const std::int64_t end = tensor.begin + tensor.size;
  return {static_cast<std::uint64_t>(region + tensor.begin / page * page),
          static_cast<std::uint64_t>(region + (end + page - 1) / page * page), rights};
}

constexpr std::uint64_t interrupt = std::uint64_t{1} << 63;  // of the clock, the only one allowed
constexpr std::size_t largest_trace = std::size_t{1} << 30;

}  // namespace

/// The memory file of the chip.
class GuestMemory {
 public:
  /// Makes an empty file that the runner's user may read and write.
  static Result<GuestMemory> create(const std::string& path, const Chip& chip) {
    const Fd file(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    // The runner may have a different user id.
    if (!file || fchmod(file.get(), 0666) != 0 || ftruncate(file.get(), chip.memory.bytes) != 0) {
      return os_error(path);
    }
    void* const memory = mmap(nullptr, static_cast<std::size_t>(chip.memory.bytes),
                              PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (memory == MAP_FAILED) return os_error("cannot map " + path);
    return GuestMemory(static_cast<std::byte*>(memory), chip);
  }

  GuestMemory(GuestMemory&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)),
        chip_(other.chip_),
        seats_(std::move(other.seats_)) {}

  GuestMemory& operator=(GuestMemory&&) = delete;
  ~GuestMemory() {
    if (memory_ != nullptr) munmap(memory_, static_cast<std::size_t>(chip_->memory.bytes));
  }

  /// Places as many of `calls` as fit and returns their number, 0 when even the first does not fit.
  /// Poisons outputs. `limit`: ticks per call, 0 = none.
  std::size_t place(std::span<const GuestCall> calls, std::uint64_t limit, SecretRandom& random) {
    const MemoryMap& map = chip_->memory;
    const auto most = static_cast<std::size_t>(map.tensors - map.mailbox - std::int64_t{64}) /
                      sizeof(MailboxCall);
    std::int64_t next = map.tensors;
    for (const GuestCall& call : calls) {
      Seat seat{call, nullptr, next, 0, {}};
      seat.placement = std::make_unique<Placement>(
          Placement::of(call.content.task(), call.content.shapes(), call.side));
      seat.outputs = seat.inputs + seat.placement->inputs.size;
      next = seat.outputs + seat.placement->outputs.size;
      if (next > map.end || seats_.size() == most) break;
      seat.canaries.emplace_back(seat.placement->inputs, random);
      seat.canaries.emplace_back(seat.placement->outputs, random);
      fill(seat, this->call(seats_.size()), random);
      seats_.push_back(std::move(seat));
    }
    *reinterpret_cast<MailboxHead*>(at(map.mailbox)) = {seats_.size(), limit, {}};
    return seats_.size();
  }

  /// The results that the start-up file wrote for call `i`.
  MailboxCall& call(std::size_t i) const {
    return reinterpret_cast<MailboxCall*>(at(chip_->memory.mailbox) + sizeof(MailboxHead))[i];
  }

  /// Checks inputs, outputs, and the bytes beside them after a call that returned.
  std::optional<Finding> judge(std::size_t i, double& margin) const {
    const Seat& seat = seats_[i];
    const auto inputs = input_pointers(seat), outputs = output_pointers(seat);
    const std::vector<const std::byte*> in(inputs.begin(), inputs.end());
    const std::vector<const std::byte*> out(outputs.begin(), outputs.end());
    std::optional<Finding> finding;
    if (!inputs_intact(seat.call.content, in) || seat.canaries[0].broken(at(seat.inputs)) ||
        seat.canaries[1].broken(at(seat.outputs))) {
      finding = Finding{Verdict::wrong_result, "out_of_bounds_write",
                        "bytes beside an output were overwritten"};
    } else if (auto mismatch = compare(seat.call.content, out)) {
      finding = Finding{Verdict::wrong_result, "mismatch", ""};
      finding->mismatch = std::move(mismatch);
    }
    if (!finding) margin = std::max(margin, worst_ratio(seat.call.content, out));
    return finding;
  }

  /// All output bytes of a call.
  std::string outputs(std::size_t i) const {
    std::string bytes;
    for (const Extent& tensor : seats_[i].placement->outputs.tensors) {
      bytes.append(reinterpret_cast<const char*>(at(seats_[i].outputs + tensor.begin)),
                   static_cast<std::size_t>(tensor.size));
    }
    return bytes;
  }

 private:
  struct Seat {
    GuestCall call;
    std::unique_ptr<Placement> placement;  // a pointer, because canaries refer to it
    std::int64_t inputs = 0, outputs = 0;  ///< addresses of the regions
    std::vector<Canaries> canaries;        ///< for inputs, for outputs
  };
  GuestMemory(std::byte* memory, const Chip& chip) : memory_(memory), chip_(&chip) {}
  std::byte* at(std::int64_t address) const { return memory_ + (address - chip_->memory.base); }
  void fill(const Seat& seat, MailboxCall& record, SecretRandom& random) const {
    const auto inputs = input_pointers(seat), outputs = output_pointers(seat);
    const Task& task = seat.call.content.task();
    write_inputs(seat.call.content, inputs);
    seat.canaries[0].write(at(seat.inputs));
    seat.canaries[1].write(at(seat.outputs));
    const MemoryMap& map = chip_->memory;
    record = {};
    int argument = 0, region = 0;
    const auto add = [&](const MailboxRegion& one) { record.regions[region++] = one; };
    add({static_cast<std::uint64_t>(map.code), static_cast<std::uint64_t>(map.data),
         MailboxRegion::read | MailboxRegion::execute});
    add({static_cast<std::uint64_t>(map.data), static_cast<std::uint64_t>(map.mailbox),
         MailboxRegion::read | MailboxRegion::write});
    for (const Extent& tensor : seat.placement->inputs.tensors) {
      add(pages_of(tensor, seat.inputs, MailboxRegion::read));
      record.arguments[argument++] = static_cast<std::uint64_t>(seat.inputs + tensor.begin);
    }
    std::size_t number = inputs.size();
    for (const Extent& tensor : seat.placement->outputs.tensors) {
      add(pages_of(tensor, seat.outputs, MailboxRegion::read | MailboxRegion::write));
      record.arguments[argument++] = static_cast<std::uint64_t>(seat.outputs + tensor.begin);
      poison(task.tensors[number++].dtype, random,
             {at(seat.outputs + tensor.begin), static_cast<std::size_t>(tensor.size)});
    }
    for (const std::int64_t axis : seat.call.content.shapes().axis_arguments) {
      record.arguments[argument++] = static_cast<std::uint64_t>(axis);
    }
  }

  std::vector<std::byte*> input_pointers(const Seat& seat) const {
    return seat.placement->inputs.pointers(at(seat.inputs));
  }

  std::vector<std::byte*> output_pointers(const Seat& seat) const {
    return seat.placement->outputs.pointers(at(seat.outputs));
  }

  std::byte* memory_ = nullptr;
  const Chip* chip_ = nullptr;
  std::vector<Seat> seats_;
};

Finding Machine::trap(const MailboxCall& call, const Listing& listing) const {
  if ((call.cause & interrupt) != 0) {
    return Finding{Verdict::timeout, "call_timeout",
                   fmt::format("no return within {} ticks of the clock, at pc {:#x}",
                               chip_.call_limit, call.pc)};
  }
  const std::string name = call.cause < chip_.traps.size() ? chip_.traps[call.cause] : "unknown";
  const Instruction* const at = listing.at(call.pc);
  return Finding{Verdict::runtime_error, "trap",
                 fmt::format("{} (cause {}) of address {:#x} at pc {:#x}{}", name, call.cause,
                             call.address, call.pc, at == nullptr ? "" : ": " + at->text)};
}

Result<ToolRun> Machine::run_chip(const JobFolder& folder, bool counted) const {
  Command command = chip_.run;
  const Command& more = counted ? chip_.counted : chip_.checked;
  command.insert(command.end(), more.begin(), more.end());
  const Words words{{{"support", chip_.support},
                     {"image", "kernel.elf"},
                     {"memory", "memory"},
                     {"trace", "trace"}},
                    {}};
  return tools_.run(filled(command, words), folder.path(), SandboxProfile::emulator,
                    std::chrono::milliseconds(chip_.run_limit_ms));
}

Result<std::optional<Finding>> Machine::judge(const GuestMemory& memory, std::size_t i,
                                              const ToolRun& ran, const CrossBuilt& built,
                                              double& margin) const {
  const MailboxCall& call = memory.call(i);
  if (call.status == MailboxCall::returned) return memory.judge(i, margin);
  if (call.status == MailboxCall::trapped) return std::optional(trap(call, built.listing));
  if (ran.exit.kind == SandboxExit::Kind::running) {
    return std::optional(Finding{Verdict::timeout, "call_timeout",
                                 fmt::format("no return within {} ms", chip_.run_limit_ms)});
  }
  const bool exited = ran.exit.kind == SandboxExit::Kind::exited;
  return Error{Failure::device, fmt::format("the runner ended before its work was done ({} {}): {}",
                                            exited ? "exit code" : "signal", ran.exit.code,
                                            ran.output.substr(0, 300))};
}

Result<void> Machine::read_counts(const JobFolder& folder, const CrossBuilt& built,
                                  std::size_t calls, GuestRun& all) const {
  const auto return_address = static_cast<std::uint64_t>(chip_.memory.code);
  KE_TRY(const std::string trace, folder.read("trace", largest_trace));
  KE_TRY(const std::vector<Counts> counts, read_trace(trace, chip_, built.listing, return_address));
  if (counts.size() != calls) {
    return Error{Failure::device,
                 fmt::format("the trace shows {} of {} calls; do they return to {:#x}?",
                             counts.size(), calls, return_address)};
  }
  for (const Counts& one : counts) {
    if (!one.hidden || all.finding) continue;
    all.finding =
        Finding{Verdict::rejected, "hidden_instruction",
                fmt::format("it jumps into the middle of an instruction, to {:#x}", *one.hidden)};
  }
  all.counts.insert(all.counts.end(), counts.begin(), counts.end());
  return {};
}

Result<std::size_t> Machine::start(const CrossBuilt& built, std::span<const GuestCall> calls,
                                   bool counted, GuestRun& all) {
  KE_TRY(const JobFolder folder, JobFolder::create(tools_.scratch));
  KE_TRY_VOID(folder.write("kernel.elf", built.image));
  KE_TRY(GuestMemory memory, GuestMemory::create(folder.file("memory"), chip_));
  // Counted calls are known to end; they have only the time limit of the host.
  const std::int64_t limit = counted ? 0 : chip_.call_limit;
  const std::size_t placed = memory.place(calls, static_cast<std::uint64_t>(limit), random_);
  if (placed == 0) {
    return Error{Failure::config, fmt::format("the tensors of {} do not fit into the chip's memory",
                                              calls.front().workload->label)};
  }
  KE_TRY(const ToolRun ran, run_chip(folder, counted));
  for (std::size_t i = 0; i < placed; ++i) {
    KE_TRY(all.finding, judge(memory, i, ran, built, all.margin));
    if (all.finding) {
      locate(*all.finding, *calls[i].workload, calls[i].content.entry->label, name(calls[i].side),
             static_cast<std::int64_t>(all.counters.size()) + 1);
      return placed;
    }
    all.counters.push_back(static_cast<std::int64_t>(memory.call(i).count) -
                           chip_.counter_overhead);
    all.outputs.push_back(memory.outputs(i));
  }
  if (counted) KE_TRY_VOID(read_counts(folder, built, placed, all));
  return placed;
}

Result<GuestRun> Machine::run(const CrossBuilt& built, std::span<const GuestCall> calls,
                              bool counted) {
  GuestRun all;
  while (!calls.empty() && !all.finding) {
    KE_TRY(const std::size_t done, start(built, calls, counted, all));
    calls = calls.subspan(done);
  }
  return all;
}

Result<GuestRun> Machine::check(const CrossBuilt& built, std::span<const GuestCall> calls) {
  return run(built, calls, false);
}

Result<GuestRun> Machine::count(const CrossBuilt& built, std::span<const GuestCall> calls) {
  return run(built, calls, true);
}

}  // namespace ke::cross

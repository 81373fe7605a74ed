#include "fitness/cross/machine.hpp"

#include <fmt/format.h>

namespace ke::cross {
namespace {

constexpr std::uint64_t interrupt = std::uint64_t{1} << 63;  // of the clock, the only one allowed
constexpr std::size_t largest_trace = std::size_t{1} << 30;

}  // namespace

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
      locate(*all.finding, *calls[i].workload, calls[i].content.entry->label,
             calls[i].side == Side::start ? "start" : "end",
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

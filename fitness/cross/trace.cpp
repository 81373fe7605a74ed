#include "fitness/cross/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>

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

}  // namespace ke::cross

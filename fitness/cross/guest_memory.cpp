#include "fitness/cross/guest_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "fitness/content/compare.hpp"
#include "fitness/content/generate.hpp"
#include "fitness/sandbox/fd.hpp"
#include "fitness/sandbox/os_error.hpp"

namespace ke::cross {
namespace {

/// The pages of a tensor, without its guard pages.
MailboxRegion pages_of(const Extent& tensor, std::int64_t region, std::uint64_t rights) {
  constexpr std::int64_t page = Placement::page;
  const std::int64_t end = tensor.begin + tensor.size;
  return {static_cast<std::uint64_t>(region + tensor.begin / page * page),
          static_cast<std::uint64_t>(region + (end + page - 1) / page * page), rights};
}

}  // namespace

Result<GuestMemory> GuestMemory::create(const std::string& path, const Chip& chip) {
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

GuestMemory::GuestMemory(GuestMemory&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)),
      chip_(other.chip_),
      seats_(std::move(other.seats_)) {}

GuestMemory::~GuestMemory() {
  if (memory_ != nullptr) munmap(memory_, static_cast<std::size_t>(chip_->memory.bytes));
}

MailboxCall* GuestMemory::mailbox_call(std::size_t i) const {
  return reinterpret_cast<MailboxCall*>(at(chip_->memory.mailbox) + sizeof(MailboxHead)) + i;
}

const MailboxCall& GuestMemory::call(std::size_t i) const { return *mailbox_call(i); }

std::vector<std::byte*> GuestMemory::input_pointers(const Seat& seat) const {
  return seat.placement->inputs.pointers(at(seat.inputs));
}

std::vector<std::byte*> GuestMemory::output_pointers(const Seat& seat) const {
  return seat.placement->outputs.pointers(at(seat.outputs));
}

std::size_t GuestMemory::place(std::span<const GuestCall> calls, std::uint64_t limit,
                               SecretRandom& random) {
  const MemoryMap& map = chip_->memory;
  const auto most =
      static_cast<std::size_t>(map.tensors - map.mailbox - std::int64_t{64}) / sizeof(MailboxCall);
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
    fill(seat, *mailbox_call(seats_.size()), random);
    seats_.push_back(std::move(seat));
  }
  *reinterpret_cast<MailboxHead*>(at(map.mailbox)) = {seats_.size(), limit, {}};
  return seats_.size();
}

void GuestMemory::fill(const Seat& seat, MailboxCall& record, SecretRandom& random) const {
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

std::optional<Finding> GuestMemory::judge(std::size_t i, double& margin) const {
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

std::string GuestMemory::outputs(std::size_t i) const {
  std::string bytes;
  for (const Extent& tensor : seats_[i].placement->outputs.tensors) {
    bytes.append(reinterpret_cast<const char*>(at(seats_[i].outputs + tensor.begin)),
                 static_cast<std::size_t>(tensor.size));
  }
  return bytes;
}

}  // namespace ke::cross

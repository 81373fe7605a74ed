#include "fitness/host/arena.hpp"

#include <emmintrin.h>

#include <algorithm>
#include <cstring>

namespace ke {
namespace {

std::size_t index_of(Side side) { return static_cast<std::size_t>(side); }

std::size_t size_of(const Region& region) { return static_cast<std::size_t>(region.size); }

}  // namespace

void flush_lines(std::span<const std::byte> bytes) {
  constexpr std::size_t line = 64;
  for (std::size_t at = 0; at < bytes.size(); at += line) _mm_clflush(bytes.data() + at);
  if (!bytes.empty()) _mm_clflush(&bytes.back());
}

Arena::Group Arena::make_group(const Task& task, const SlotRequest& request, int arms,
                               SecretRandom& random) {
  Group group;
  group.shapes = request.shapes;
  group.slots = static_cast<std::size_t>(request.slots);
  for (const Side side : {Side::start, Side::end}) {
    Placement placement = Placement::of(task, *request.shapes, side);
    for (auto* half : {&group.inputs, &group.outputs}) {
      auto made = std::make_unique<Half>();
      made->region = std::move(half == &group.inputs ? placement.inputs : placement.outputs);
      made->canaries = std::make_unique<Canaries>(made->region, random);
      half->push_back(std::move(made));
    }
  }
  // Both sides use the same pages, because one mapping serves both.
  KE_CHECK(group.inputs[0]->region.size == group.inputs[1]->region.size);
  KE_CHECK(group.outputs[0]->region.size == group.outputs[1]->region.size);
  group.input_side.assign(group.slots, -1);
  group.output_side.assign(static_cast<std::size_t>(arms), std::vector<int>(group.slots, -1));
  return group;
}

void Arena::add_mappings(const Region& region, std::size_t file_offset, bool writable,
                         std::size_t address_offset) {
  std::vector<Extent> guards = region.guards;
  std::ranges::sort(guards, {}, &Extent::begin);
  std::int64_t begin = 0;
  const auto add = [&](std::int64_t end) {
    if (end <= begin) return;
    const auto at = static_cast<std::size_t>(begin);
    plan_.mappings.push_back(
        {writable, file_offset + at, static_cast<std::size_t>(end - begin), address_offset + at});
  };
  for (const Extent& guard : guards) {
    add(guard.begin);
    begin = guard.begin + guard.size;
  }
  add(region.size);
}

Result<Arena> Arena::create(const Task& task, const std::vector<SlotRequest>& requests, int arms,
                            int sets, MemoryPool& memory, SecretRandom& random) {
  Arena arena;
  arena.task_ = &task;
  for (const SlotRequest& request : requests) {
    Group group = make_group(task, request, arms, random);
    group.input_offset = arena.input_bytes_;
    group.output_offset = arena.output_bytes_;
    arena.input_bytes_ += group.slots * size_of(group.inputs[0]->region);
    arena.output_bytes_ += group.slots * size_of(group.outputs[0]->region);
    arena.plan_.max_calls = std::max(arena.plan_.max_calls, group.slots);
    arena.groups_.push_back(std::move(group));
  }
  for (const Group& group : arena.groups_) {
    const Region& in = group.inputs[0]->region;
    const Region& out = group.outputs[0]->region;
    for (std::size_t slot = 0; slot < group.slots; ++slot) {
      const std::size_t in_at = group.input_offset + slot * size_of(in);
      const std::size_t out_at = group.output_offset + slot * size_of(out);
      arena.add_mappings(in, in_at, false, in_at);
      arena.add_mappings(out, out_at, true, arena.input_bytes_ + out_at);
    }
  }
  arena.fill_ = std::make_unique<OutputFill>(random);
  arena.plan_.address_bytes = arena.input_bytes_ + arena.output_bytes_;
  arena.plan_.sets = static_cast<std::size_t>(sets);
  KE_TRY(arena.inputs_, memory.take("inputs", arena.input_bytes_, Sharing::read_only));
  for (int arm = 0; arm < arms; ++arm) {
    KE_TRY(auto outputs, memory.take("outputs", arena.output_bytes_, Sharing::read_write));
    arena.outputs_.push_back(std::move(outputs));
  }
  // Files outlive sessions, and one may have faster memory, so assign them to arms at random.
  if (arms == 2 && random.below(2) == 0) std::swap(arena.outputs_[0], arena.outputs_[1]);
  return arena;
}

std::byte* Arena::input_base(const Seat& seat) const {
  const Group& group = at(seat.group);
  return inputs_->data() + group.input_offset +
         static_cast<std::size_t>(seat.slot) * size_of(group.inputs[0]->region);
}

std::byte* Arena::output_base(const Seat& seat, int arm) const {
  const Group& group = at(seat.group);
  return outputs_[static_cast<std::size_t>(arm)]->data() + group.output_offset +
         static_cast<std::size_t>(seat.slot) * size_of(group.outputs[0]->region);
}

std::vector<std::byte*> Arena::input_places(const Seat& seat) {
  Group& group = groups_[static_cast<std::size_t>(seat.group)];
  const Half& half = *group.inputs[index_of(seat.side)];
  int& side = group.input_side[static_cast<std::size_t>(seat.slot)];
  if (side != static_cast<int>(index_of(seat.side))) half.canaries->write(input_base(seat));
  side = static_cast<int>(index_of(seat.side));
  return half.region.pointers(input_base(seat));
}

void Arena::write_inputs(const Seat& seat, const FreshContent& content) {
  ke::write_inputs(content, input_places(seat));
}

void Arena::write_unchanging(const Seat& seat, const FreshContent& content) {
  std::vector<std::byte*> places = input_places(seat);
  for (std::size_t t = 0; t < places.size(); ++t) {
    if (task_->tensors[t].changes) places[t] = nullptr;
  }
  ke::write_inputs(content, places);
}

void Arena::chill(const Seat& seat, int arm) const {
  const Group& group = groups_[static_cast<std::size_t>(seat.group)];
  const std::size_t side = index_of(seat.side);
  const auto flush = [&](const std::vector<std::byte*>& pointers, std::size_t first) {
    for (std::size_t i = 0; i < pointers.size(); ++i) {
      const auto bytes = static_cast<std::size_t>(group.shapes->tensors[first + i].bytes);
      flush_lines({pointers[i], bytes});
    }
  };
  flush(group.inputs[side]->region.pointers(input_base(seat)), 0);
  flush(group.outputs[side]->region.pointers(output_base(seat, arm)), group.shapes->inputs);
  _mm_mfence();
}

void Arena::fill(const Seat& seat, int arm, FillKind kind, std::uint64_t seed,
                 const FreshContent* other) {
  Group& group = groups_[static_cast<std::size_t>(seat.group)];
  const Half& half = *group.outputs[index_of(seat.side)];
  int& side = group.output_side[static_cast<std::size_t>(arm)][static_cast<std::size_t>(seat.slot)];
  if (side != static_cast<int>(index_of(seat.side))) half.canaries->write(output_base(seat, arm));
  side = static_cast<int>(index_of(seat.side));
  const auto pointers = half.region.pointers(output_base(seat, arm));
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    const std::size_t tensor = group.shapes->inputs + i;
    const std::span bytes{pointers[i],
                          static_cast<std::size_t>(group.shapes->tensors[tensor].bytes)};
    if (kind == FillKind::kept) {
      touch(bytes);
    } else if (kind == FillKind::answer) {
      write_answer(*other, i, pointers[i]);
    } else {
      fill_->fill(kind, task_->tensors[tensor].dtype, seed + i, bytes);
    }
  }
}

std::vector<const std::byte*> Arena::outputs(const Seat& seat, int arm) const {
  const auto pointers =
      at(seat.group).outputs[index_of(seat.side)]->region.pointers(output_base(seat, arm));
  return {pointers.begin(), pointers.end()};
}

bool Arena::canaries_stand(const Seat& seat, int arm) const {
  const Half& half = *at(seat.group).outputs[index_of(seat.side)];
  return !half.canaries->broken(output_base(seat, arm));
}

wire::Call Arena::call(const Seat& seat, int set) const {
  const Group& group = at(seat.group);
  const std::size_t slot = static_cast<std::size_t>(seat.slot);
  const std::size_t side = index_of(seat.side);
  const Region& in = group.inputs[side]->region;
  const Region& out = group.outputs[side]->region;
  wire::Call call;
  call.set = static_cast<std::uint64_t>(set);
  std::size_t next = 0;
  const auto push = [&](std::uint64_t value) {
    KE_CHECK(next < wire::max_arguments);
    call.arguments[next++] = value;
  };
  for (const Extent& tensor : in.tensors) {
    push(group.input_offset + slot * size_of(in) + static_cast<std::size_t>(tensor.begin));
  }
  for (const Extent& tensor : out.tensors) {
    push(input_bytes_ + group.output_offset + slot * size_of(out) +
         static_cast<std::size_t>(tensor.begin));
  }
  call.pointers = next;
  for (const std::int64_t axis : group.shapes->axis_arguments) {
    push(static_cast<std::uint64_t>(axis));
  }
  return call;
}

wire::Call Arena::preparation(const Seat& seat, int set) const {
  const wire::Call whole = call(seat, set);
  wire::Call few;
  few.set = whole.set;
  std::size_t next = 0;
  for (std::size_t t = 0; t < at(seat.group).shapes->inputs; ++t) {
    if (!task_->tensors[t].changes) few.arguments[next++] = whole.arguments[t];
  }
  few.pointers = next;
  const std::size_t axes = at(seat.group).shapes->axis_arguments.size();
  for (std::size_t i = 0; i < axes; ++i) {
    few.arguments[next++] = whole.arguments[whole.pointers + i];
  }
  return few;
}

}  // namespace ke

#include "fitness/content/placement.hpp"

#include <cstring>

namespace ke {
namespace {

constexpr std::int64_t page = Placement::page;

void append(Region& region, std::int64_t bytes, std::int64_t align, Side side) {
  const std::int64_t padding = side == Side::end ? (align - bytes % align) % align : 0;
  const std::int64_t room = (bytes + padding + page - 1) / page * page;
  const std::int64_t first = region.size;
  const std::int64_t begin = side == Side::start ? first : first + room - padding - bytes;
  region.tensors.push_back({begin, bytes});
  const auto canary = [&](std::int64_t from, std::int64_t to) {
    if (to > from) region.canaries.push_back({from, to - from});
  };
  canary(first, begin);
  canary(begin + bytes, first + room);
  region.size += room;
  region.guards.push_back({region.size, page});
  region.size += page;
}

}  // namespace

std::vector<std::byte*> Region::pointers(std::byte* base) const {
  std::vector<std::byte*> list;
  for (const Extent& tensor : tensors) list.push_back(base + tensor.begin);
  return list;
}

Placement Placement::of(const Task& task, const Shapes& shapes, Side side) {
  Placement placement;
  for (Region* region : {&placement.inputs, &placement.outputs}) {
    region->guards.push_back({0, page});
    region->size = page;
  }
  for (std::size_t t = 0; t < task.tensors.size(); ++t) {
    append(task.tensors[t].output ? placement.outputs : placement.inputs, shapes.tensors[t].bytes,
           task.tensors[t].align, side);
  }
  return placement;
}

Canaries::Canaries(const Region& region, SecretRandom& random) : region_(&region) {
  std::int64_t size = 0;
  for (const Extent& canary : region.canaries) size += canary.size;
  bytes_.resize(static_cast<std::size_t>(size));
  random.fill_bytes(bytes_);
}

void Canaries::write(std::byte* base) const {
  const std::byte* from = bytes_.data();
  for (const Extent& canary : region_->canaries) {
    std::memcpy(base + canary.begin, from, static_cast<std::size_t>(canary.size));
    from += canary.size;
  }
}

std::optional<std::int64_t> Canaries::broken(const std::byte* base) const {
  const std::byte* from = bytes_.data();
  for (const Extent& canary : region_->canaries) {
    if (std::memcmp(base + canary.begin, from, static_cast<std::size_t>(canary.size)) != 0) {
      std::int64_t at = 0;
      while (base[canary.begin + at] == from[at]) ++at;
      return canary.begin + at;
    }
    from += canary.size;
  }
  return std::nullopt;
}

}  // namespace ke

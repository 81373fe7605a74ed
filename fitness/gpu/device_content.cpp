#include "fitness/gpu/device_content.hpp"

namespace ke::gpu {
namespace {

/// Sizes of a content's parts in their order: inputs; of each output values, rms and cleanness.
std::vector<std::int64_t> part_sizes(const Task& task, const Shapes& shapes) {
  std::vector<std::int64_t> sizes;
  for (std::size_t t = 0; t < task.tensors.size(); ++t) {
    const TensorShape& shape = shapes.tensors[t];
    if (t < shapes.inputs) {
      sizes.push_back(shape.bytes);
      continue;
    }
    const std::int64_t rows = (shape.elements + shapes.row - 1) / shapes.row;
    const auto wide = static_cast<std::int64_t>(sizeof(double));
    sizes.insert(sizes.end(), {shape.elements * wide, rows * wide, rows});
  }
  return sizes;
}

}  // namespace

DeviceContent::~DeviceContent() {
  if (memory != 0) d.memory_free(memory);
}

std::int64_t DeviceContent::bytes_of(const Task& task, const Shapes& shapes) {
  std::int64_t sum = 0;
  for (const std::int64_t size : part_sizes(task, shapes)) sum += aligned(size);
  return sum;
}

std::int64_t DeviceContent::input_bytes() const {
  return inputs.empty()
             ? 0
             : static_cast<std::int64_t>(inputs.back().at - memory) + inputs.back().bytes;
}

Result<std::shared_ptr<DeviceContent>> DeviceContent::allocate(const Driver& driver,
                                                               const Task& task,
                                                               const Shapes& shapes) {
  auto made = std::make_shared<DeviceContent>(driver);
  made->bytes = bytes_of(task, shapes);
  KE_CUDA(driver, memory_allocate(&made->memory, static_cast<std::size_t>(made->bytes)));
  Address at = made->memory;
  std::size_t part = 0;
  for (const std::int64_t size : part_sizes(task, shapes)) {
    std::vector<Part>* const of_output[] = {&made->expected, &made->rms, &made->clean};
    auto& list = part < shapes.inputs ? made->inputs : *of_output[(part - shapes.inputs) % 3];
    list.push_back({at, size});
    at += static_cast<Address>(aligned(size));
    ++part;
  }
  return made;
}

Result<void> DeviceContent::upload(std::span<const std::byte> from, const Part& to) const {
  if (!from.empty()) KE_CUDA(d, copy_to_device(to.at, from.data(), from.size()));
  return {};
}

Result<std::shared_ptr<const DeviceContent>> DeviceContent::copy_of(const Driver& driver,
                                                                    const Content& content) {
  KE_TRY(auto made, allocate(driver, *content.task, *content.shapes));
  for (std::size_t t = 0; t < content.inputs.size(); ++t) {
    KE_TRY_VOID(made->upload(content.inputs[t], made->inputs[t]));
  }
  for (std::size_t o = 0; o < content.expected.size(); ++o) {
    const OutputFacts& facts = content.facts[o];
    const bool whole = is_int(content.task->tensors[content.inputs.size() + o].dtype);
    KE_TRY_VOID(made->upload(whole ? std::as_bytes(std::span(content.integers[o]))
                                   : std::as_bytes(std::span(content.expected[o])),
                             made->expected[o]));
    KE_TRY_VOID(made->upload(std::as_bytes(std::span(facts.row_rms)), made->rms[o]));
    KE_TRY_VOID(made->upload(std::as_bytes(std::span(facts.clean)), made->clean[o]));
  }
  return std::shared_ptr<const DeviceContent>(std::move(made));
}

}  // namespace ke::gpu

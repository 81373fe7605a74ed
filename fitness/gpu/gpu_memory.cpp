#include "fitness/gpu/gpu_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>

#include "fitness/content/compare_rule.hpp"
#include "fitness/reference/wire.hpp"

namespace ke::gpu {
namespace {

constexpr std::int64_t least_gap = 4096;
constexpr std::uint64_t gap_steps = 240;  // gaps of up to 64 KiB
constexpr std::int64_t most_kept_bytes = std::int64_t{32} << 30;
constexpr std::size_t kept_contents = 160;
constexpr std::size_t most_outputs = 16;

/// Must match judge_kernels: dimensions are right-aligned, missing leading ones are 1.
constexpr std::size_t most_dimensions = reference_wire::max_dimensions;
static_assert(most_dimensions == 8, "judge_kernels has this number in its text");
struct Shift {
  std::uint32_t dims[most_dimensions] = {1, 1, 1, 1, 1, 1, 1, 1};
  std::uint32_t offsets[most_dimensions] = {};
  std::uint32_t rotated = 0;
};
struct Rule {
  double inverse, relative, rounding, scale, floor, overflow, unit, max_error;
  int skips, kind;
};
constexpr int gap_kind = dtype_table.size();  // follows the kinds of Dtype
struct Results {
  std::uint64_t changed[most_outputs] = {};
  std::uint64_t broken = 0;
  DeviceVerdict outputs[most_outputs];
};

/// The rotation of one tensor. Tasks cannot have more dimensions, which references do not take.
Shift shift_of(const TensorShape& shape, std::span<const std::int64_t> rotation) {
  Shift shift;
  const std::size_t rank = shape.dims.size();
  KE_CHECK(rank <= most_dimensions);
  for (std::size_t d = 0; d < rank; ++d) {
    const std::size_t at = most_dimensions - rank + d;
    shift.dims[at] = static_cast<std::uint32_t>(shape.dims[d]);
    if (shape.rotated_by[d] < 0) continue;
    shift.offsets[at] =
        static_cast<std::uint32_t>(rotation[static_cast<std::size_t>(shape.rotated_by[d])]);
    shift.rotated |= shift.offsets[at] != 0 ? 1 : 0;
  }
  return shift;
}

/// As in judge_kernels: where element i of the rotated tensor comes from.
std::uint64_t source_of(std::uint64_t i, const Shift& shift) {
  std::uint64_t from = 0, stride = 1;
  for (std::size_t d = most_dimensions; d-- > 0;) {
    from += (i % shift.dims[d] + shift.offsets[d]) % shift.dims[d] * stride;
    i /= shift.dims[d];
    stride *= shift.dims[d];
  }
  return from;
}

int kind_of(const FreshContent& content, std::size_t tensor) {
  return static_cast<int>(content.task().tensors[tensor].dtype);
}

Rule rule_of(const FreshContent& content, std::size_t output) {
  const CompareRule of = compare_rule(content, output);
  return {of.inverse,
          of.relative,
          of.rounding,
          of.scale,
          of.floor,
          of.overflow,
          content.entry->facts[output].unit,
          of.max_error,
          of.skips_nonfinite ? 1 : 0,
          kind_of(content, content.shapes().inputs + output)};
}

bool is_right(const FreshContent& content, std::size_t output, const DeviceVerdict& verdict) {
  const CompareRule rule = compare_rule(content, output);
  if (is_int(content.task().tensors[content.shapes().inputs + output].dtype))
    return verdict.wrong == 0;
  const auto* const there = static_cast<const DeviceContent*>(content.entry->on_device.get());
  const bool widened = there != nullptr && !there->room_squares.empty();
  return verdict.wrong <= static_cast<std::uint64_t>(rule.most_misses) && verdict.beyond == 0 &&
         verdict.squares <= rule.allowed_squares + (widened ? there->room_squares[output] : 0);
}

}  // namespace

Result<std::unique_ptr<GpuMemory>> GpuMemory::create(const Driver& driver, const GpuInfo& gpu,
                                                     std::int64_t bytes, const std::string& cubin,
                                                     SecretRandom& random) {
  std::unique_ptr<GpuMemory> memory(new GpuMemory(driver, bytes, random));
  memory->device_bytes_ = gpu.terms.memory_bytes;
  KE_TRY_VOID(memory->open(gpu.index, cubin));
  return memory;
}

GpuMemory::~GpuMemory() {
  if (results_ != 0) d_.memory_free(results_);
}

Result<void> GpuMemory::open(int index, const std::string& cubin) {
  MemoryProperties properties;
  properties.location.id = index;
  std::size_t step = 0;
  KE_CUDA(d_, granularity(&step, &properties, 0));
  const auto grains = static_cast<std::int64_t>(step);
  bytes_ = (bytes_ + grains - 1) / grains * grains;
  const auto size = static_cast<std::size_t>(bytes_);
  KE_CUDA(d_, create_memory(&handle_, size, &properties, 0));
  KE_CUDA(d_, reserve(&base_, size, 0, 0, 0));
  KE_CUDA(d_, map_memory(base_, size, 0, handle_, 0));
  MemoryAccess access;
  access.location.id = index;
  KE_CUDA(d_, allow_access(base_, size, &access, 1));
  // Needs a blocking stream: a copy may return while its last bytes are in flight, and launches on
  // this stream wait for them.
  KE_CUDA(d_, stream_create(&stream_, 0));
  KE_CUDA(d_, memory_allocate(&results_, sizeof(Results)));
  Module module = nullptr;
  KE_CUDA(d_, module_load(&module, cubin));
  KE_CUDA(d_, module_function(&kernels_.noise, module, "ke_noise"));
  KE_CUDA(d_, module_function(&kernels_.fill, module, "ke_fill"));
  KE_CUDA(d_, module_function(&kernels_.answer, module, "ke_answer"));
  KE_CUDA(d_, module_function(&kernels_.check_gap, module, "ke_check_gap"));
  KE_CUDA(d_, module_function(&kernels_.place, module, "ke_place"));
  KE_CUDA(d_, module_function(&kernels_.intact, module, "ke_intact"));
  KE_CUDA(d_, module_function(&kernels_.compare, module, "ke_compare"));
  return {};
}

Result<int> GpuMemory::descriptor() const {
  int descriptor = -1;
  KE_CUDA(d_, export_memory(&descriptor, handle_, 1, 0));
  return descriptor;
}

template <typename... T>
Result<void> GpuMemory::launch(Function function, std::uint64_t items, T... arguments) {
  void* pointers[] = {&arguments...};
  LaunchConfig config;
  config.block[0] = 256;
  config.grid[0] = static_cast<unsigned>(std::clamp<std::uint64_t>((items + 255) / 256, 1, 4224));
  config.stream = stream_;
  KE_CUDA(d_, launch(&config, function, pointers, nullptr));
  return {};
}

Result<void> GpuMemory::noise(std::int64_t offset, std::int64_t elements, std::uint64_t seed,
                              int kind) {
  if (elements <= 0) return {};
  const auto count = static_cast<std::uint64_t>(elements);
  return launch(kernels_.noise, count, at(offset), count, seed, kind);
}

// --- layout ---

Result<Layout> GpuMemory::layout(const Shapes& shapes,
                                 std::span<const std::int64_t> scratch_bytes) {
  std::vector<std::int64_t> sizes;
  for (const TensorShape& tensor : shapes.tensors) sizes.push_back(tensor.bytes);
  sizes.insert(sizes.end(), scratch_bytes.begin(), scratch_bytes.end());
  std::vector<std::size_t> order(sizes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  shuffle(order, random_);
  Layout made;
  made.offsets.resize(sizes.size());
  const auto gap = [&] {
    return least_gap + grain * static_cast<std::int64_t>(random_.below(gap_steps));
  };
  // Packs from the front, with the first buffer right after unmapped addresses, or from the end,
  // with the last buffer right before them.
  std::int64_t total = 0;
  for (const std::size_t i : order) {
    made.offsets[i] = total;
    total += aligned(sizes[i]) + gap();
  }
  if (total > bytes_) {
    return Error{ke::Failure::device,
                 fmt::format("the buffers of a call take {} bytes, {} are shared", total, bytes_)};
  }
  made.at_end = random_.below(2) == 0;
  const std::int64_t moved =
      made.at_end ? bytes_ - made.offsets[order.back()] - aligned(sizes[order.back()]) : 0;
  std::int64_t end = made.at_end ? std::max<std::int64_t>(moved - gap(), 0) : 0;
  for (const std::size_t i : order) {
    made.offsets[i] += moved;
    made.gaps.push_back({end, (made.offsets[i] - end) / 2, random_.bits()});
    end = made.offsets[i] + (sizes[i] + 1) / 2 * 2;
  }
  const std::int64_t behind = std::min(bytes_, end + gap());
  made.gaps.push_back({end, (behind - end) / 2, random_.bits()});
  return made;
}

// --- contents ---

void GpuMemory::drop_old(std::int64_t bytes) {
  const std::int64_t most = std::min(most_kept_bytes, device_bytes_ / 4);
  while (!stored_.empty() && (stored_bytes_ + bytes > most || stored_.size() >= kept_contents)) {
    stored_bytes_ -= stored_.back().copy->bytes;
    stored_.pop_back();
  }
}

Result<const DeviceContent*> GpuMemory::stored(const FreshContent& content) {
  if (content.entry->on_device) {
    return static_cast<const DeviceContent*>(content.entry->on_device.get());
  }
  const auto known = std::ranges::find(stored_, content.entry, &Stored::content);
  if (known != stored_.end()) {
    stored_.splice(stored_.begin(), stored_, known);
    return stored_.front().copy.get();
  }
  drop_old(DeviceContent::bytes_of(content.task(), content.shapes()));
  KE_TRY(auto copy, DeviceContent::copy_of(d_, *content.entry));
  stored_bytes_ += copy->bytes;
  stored_.push_front({content.entry, std::move(copy)});
  return stored_.front().copy.get();
}

Result<void> GpuMemory::share(Address from, std::int64_t bytes) {
  KE_CHECK(bytes <= bytes_);
  KE_CUDA(d_, copy_on_device(base_, from, static_cast<std::size_t>(bytes), stream_));
  KE_CUDA(d_, stream_synchronize(stream_));
  return {};
}

Result<void> GpuMemory::fetch(Address to, std::int64_t bytes) {
  KE_CHECK(bytes <= bytes_);
  KE_CUDA(d_, copy_on_device(to, base_, static_cast<std::size_t>(bytes), stream_));
  KE_CUDA(d_, stream_synchronize(stream_));
  return {};
}

Result<void> GpuMemory::place(const FreshContent& content,
                              std::span<const std::int64_t> scratch_bytes, const Layout& layout) {
  const Shapes& shapes = content.shapes();
  const FillKind fill = random_fill_kind(random_.bits());
  for (std::size_t o = 0; o < content.entry->expected.size(); ++o) {
    KE_TRY_VOID(fill_output(content, o, fill, layout));
  }
  KE_TRY(const DeviceContent* from, stored(content));
  for (const Layout::Noise& gap : layout.gaps) {
    KE_TRY_VOID(noise(gap.offset, gap.halves, gap.seed, gap_kind));
  }
  for (std::size_t t = 0; t < shapes.inputs; ++t) {
    const auto count = static_cast<std::uint32_t>(shapes.tensors[t].elements);
    KE_TRY_VOID(launch(kernels_.place, count, at(layout.offsets[t]), from->inputs[t].at,
                       shift_of(shapes.tensors[t], content.rotation), count,
                       content.input_factors[t], kind_of(content, t)));
  }
  for (std::size_t s = 0; s < scratch_bytes.size(); ++s) {
    KE_TRY_VOID(noise(layout.offsets[shapes.tensors.size() + s], scratch_bytes[s] / 4,
                      random_.bits(), static_cast<int>(Dtype::float32)));
  }
  last_ = content;
  KE_CUDA(d_, stream_synchronize(stream_));
  return {};
}

// Kind `kept` leaves what other calls wrote there; gaps are written afterwards.
Result<void> GpuMemory::fill_output(const FreshContent& content, std::size_t output, FillKind kind,
                                    const Layout& layout) {
  const std::size_t t = content.shapes().inputs + output;
  const TensorShape& shape = content.shapes().tensors[t];
  if (shape.elements <= 0 || kind == FillKind::kept) return {};
  if (kind == FillKind::answer) {
    const bool differs = last_.entry && last_.entry != content.entry &&
                         last_.entry->task == content.entry->task &&
                         std::ranges::equal(last_.shapes().tensors, content.shapes().tensors, {},
                                            &TensorShape::dims, &TensorShape::dims);
    if (differs) return write_answer(last_, output, layout.offsets[t]);
    kind = FillKind::floats;
  }
  const auto count = static_cast<std::uint64_t>(shape.elements);
  return launch(kernels_.fill, count, at(layout.offsets[t]), count, random_.bits(),
                kind_of(content, t), static_cast<int>(kind));
}

Result<void> GpuMemory::write_answer(const FreshContent& content, std::size_t output,
                                     std::int64_t offset) {
  KE_TRY(const DeviceContent* from, stored(content));
  const std::size_t t = content.shapes().inputs + output;
  const TensorShape& shape = content.shapes().tensors[t];
  const auto count = static_cast<std::uint32_t>(shape.elements);
  return launch(kernels_.answer, count, at(offset), from->expected[output].at,
                shift_of(shape, content.rotation), count, content.output_factors[output],
                kind_of(content, t));
}

// --- judging ---

Result<CallFindings> GpuMemory::inspect(const FreshContent& content, const Layout& layout) {
  KE_TRY(const DeviceContent* from, stored(content));
  const Shapes& shapes = content.shapes();
  KE_CHECK(shapes.tensors.size() <= most_outputs);
  Results results;
  KE_CUDA(d_, copy_to_device(results_, &results, sizeof results));
  for (std::size_t t = 0; t < shapes.inputs; ++t) {
    const auto count = static_cast<std::uint32_t>(shapes.tensors[t].elements);
    const Address changed = results_ + offsetof(Results, changed) + t * sizeof(std::uint64_t);
    KE_TRY_VOID(launch(kernels_.intact, count, at(layout.offsets[t]), from->inputs[t].at,
                       shift_of(shapes.tensors[t], content.rotation), count,
                       content.input_factors[t], kind_of(content, t), changed));
  }
  for (const Layout::Noise& gap : layout.gaps) {
    if (gap.halves <= 0) continue;
    const auto halves = static_cast<std::uint64_t>(gap.halves);
    const Address broken = results_ + offsetof(Results, broken);
    KE_TRY_VOID(launch(kernels_.check_gap, halves, at(gap.offset), halves, gap.seed, broken));
  }
  CallFindings found;
  KE_TRY_VOID(compare_outputs(content, *from, layout));
  KE_CUDA(d_, stream_synchronize(stream_));
  KE_CUDA(d_, copy_to_host(&results, results_, sizeof results));
  for (std::size_t t = shapes.inputs; t-- > 0;) {
    if (results.changed[t] == 0) continue;
    found.changed_inputs = static_cast<std::int64_t>(results.changed[t]);
    found.changed_input = content.task().tensors[t].name;
  }
  found.broken_gaps = static_cast<std::int64_t>(results.broken);
  std::optional<std::size_t> wrong;
  for (std::size_t o = 0; o < content.entry->expected.size(); ++o) {
    const DeviceVerdict& verdict = results.outputs[o];
    const bool right = is_right(content, o, verdict);
    const double worst = std::bit_cast<double>(verdict.worst);
    found.margin = std::max(found.margin, right ? std::min(worst, 1.0) : worst);
    if (!right && !wrong) wrong = o;
  }
  // The host describes the error, in the same words for every evaluator.
  if (wrong && content.entry->on_device) {
    KE_TRY(found.mismatch, describe(content, *from, *wrong, results.outputs[*wrong], layout));
    found.may_be_rounding = from->room_squares.empty() && is_float(found.mismatch->dtype) &&
                            results.outputs[*wrong].beyond == 0;
  } else if (wrong) {
    KE_TRY(found.mismatch, compare_on_host(content, layout));
  }
  return found;
}

Result<void> GpuMemory::compare_outputs(const FreshContent& content, const DeviceContent& from,
                                        const Layout& layout) {
  const Shapes& shapes = content.shapes();
  for (std::size_t o = 0; o < content.entry->expected.size(); ++o) {
    const std::size_t t = shapes.inputs + o;
    const auto count = static_cast<std::uint32_t>(shapes.tensors[t].elements);
    const auto row = static_cast<std::uint32_t>(content.entry->facts[o].row);
    const Address out = results_ + offsetof(Results, outputs) + o * sizeof(DeviceVerdict);
    KE_TRY_VOID(launch(kernels_.compare, count, at(layout.offsets[t]), from.expected[o].at,
                       from.rms[o].at, from.clean[o].at,
                       shift_of(shapes.tensors[t], content.rotation), count, row,
                       rule_of(content, o), out));
  }
  return {};
}

Result<std::optional<Mismatch>> GpuMemory::compare_on_host(const FreshContent& content,
                                                           const Layout& layout) {
  const Shapes& shapes = content.shapes();
  std::vector<std::vector<std::byte>> outputs;
  std::vector<const std::byte*> pointers;
  for (std::size_t t = shapes.inputs; t < shapes.tensors.size(); ++t) {
    auto& bytes = outputs.emplace_back(static_cast<std::size_t>(shapes.tensors[t].bytes));
    KE_CUDA(d_, copy_to_host(bytes.data(), at(layout.offsets[t]), bytes.size()));
  }
  for (const auto& bytes : outputs) pointers.push_back(bytes.data());
  return compare(content, pointers);
}

Result<double> GpuMemory::number_at(Address tensor, std::uint64_t index, Dtype dtype,
                                    std::int64_t& integer) const {
  const std::size_t size = ke::bytes_of(dtype);
  std::array<std::byte, sizeof(double)> bytes{};
  KE_CUDA(d_, copy_to_host(bytes.data(), tensor + index * size, size));
  if (!is_int(dtype)) return widened_all(dtype, std::span(bytes).first(size))[0];
  integer = int_at(dtype, bytes.data(), 0);
  return static_cast<double>(integer);
}

Result<Mismatch> GpuMemory::describe(const FreshContent& content, const DeviceContent& from,
                                     std::size_t output, const DeviceVerdict& verdict,
                                     const Layout& layout) {
  const std::size_t t = content.shapes().inputs + output;
  const TensorShape& shape = content.shapes().tensors[t];
  const CompareRule rule = compare_rule(content, output);
  const OutputFacts& facts = content.entry->facts[output];
  Mismatch found;
  found.output = content.task().tensors[t].name;
  found.dtype = content.task().tensors[t].dtype;
  found.label = content.entry->label;
  found.elements = shape.elements;
  found.count = static_cast<std::int64_t>(verdict.wrong);
  found.beyond = static_cast<std::int64_t>(verdict.beyond);
  found.allowed = rule.most_misses;
  found.worst_ratio = std::bit_cast<double>(verdict.worst);
  found.relative_l2 = verdict.squares == 0 ? 0 : std::sqrt(verdict.squares / facts.sum_squares);
  if (found.count == 0) found.pattern = ErrorPattern::norm;
  if (found.count >= found.elements - found.elements / 20) found.pattern = ErrorPattern::all;
  if (found.count == 0) return found;
  Mismatch::Element first{.index = static_cast<std::int64_t>(verdict.first)};
  KE_TRY(first.got,
         number_at(at(layout.offsets[t]), verdict.first, found.dtype, first.got_integer));
  const std::uint64_t source = source_of(verdict.first, shift_of(shape, content.rotation));
  const Dtype wide = is_int(found.dtype) ? Dtype::int64 : Dtype::float64;
  KE_TRY(const double want, number_at(from.expected[output].at, source, wide, first.want_integer));
  first.want = want / rule.inverse;
  found.first.push_back(first);
  return found;
}

Result<double> GpuMemory::copy_bytes_per_ns(std::int64_t bytes) {
  const std::int64_t half = std::min(bytes, bytes_) / 2 / 16 * 16;
  Event begin = nullptr, end = nullptr;
  KE_CUDA(d_, event_create(&begin, 0));
  KE_CUDA(d_, event_create(&end, 0));
  double best = 0;
  for (int i = 0; i < 5; ++i) {
    KE_CUDA(d_, event_record(begin, stream_));
    KE_CUDA(d_, copy_on_device(base_, at(half), static_cast<std::size_t>(half), stream_));
    KE_CUDA(d_, event_record(end, stream_));
    KE_CUDA(d_, stream_synchronize(stream_));
    float ms = 0;
    KE_CUDA(d_, event_elapsed(&ms, begin, end));
    if (ms > 0) best = std::max(best, 2 * static_cast<double>(half) / (double{ms} * 1e6));
  }
  return best;
}

}  // namespace ke::gpu

#include "fitness/gpu/gpu_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "fitness/content/compare_rule.hpp"
#include "fitness/reference/wire.hpp"

namespace ke::gpu {
namespace {

constexpr std::int64_t grain = 256;  // alignment of tensors
constexpr std::int64_t least_gap = 4096;
constexpr std::uint64_t gap_steps = 240;  // gaps of up to 64 KiB
constexpr std::int64_t kept_bytes = std::int64_t{32} << 30;
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
struct DeviceVerdict {
  std::uint64_t wrong = 0;
  std::uint64_t first = ~std::uint64_t{0};
  std::uint64_t worst = 0;
  std::uint64_t beyond = 0;
  double squares = 0;
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

std::int64_t rounded_up(std::int64_t bytes) { return (bytes + grain - 1) / grain * grain; }

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
  return verdict.wrong <= static_cast<std::uint64_t>(rule.most_misses) && verdict.beyond == 0 &&
         verdict.squares <= rule.allowed_squares;
}

template <typename... T>
std::array<void*, sizeof...(T)> pointers_to(T&... values) {
  return {static_cast<void*>(&values)...};
}

}  // namespace

Result<std::unique_ptr<GpuMemory>> GpuMemory::create(const Driver& driver, int index,
                                                     std::int64_t bytes, const std::string& cubin,
                                                     SecretRandom& random) {
  std::unique_ptr<GpuMemory> memory(new GpuMemory(driver, bytes, random));
  KE_TRY_VOID(memory->open(index, cubin));
  return memory;
}

GpuMemory::~GpuMemory() {
  for (const Stored& one : stored_) d_.memory_free(one.memory);
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

Result<void> GpuMemory::launch(Function function, std::uint64_t items,
                               std::span<void* const> arguments) {
  LaunchConfig config;
  config.block[0] = 256;
  config.grid[0] = static_cast<unsigned>(std::clamp<std::uint64_t>((items + 255) / 256, 1, 4224));
  config.stream = stream_;
  KE_CUDA(d_, launch(&config, function, const_cast<void**>(arguments.data()), nullptr));
  return {};
}

Result<void> GpuMemory::noise(std::int64_t offset, std::int64_t elements, std::uint64_t seed,
                              int kind) {
  if (elements <= 0) return {};
  Address at = base_ + static_cast<Address>(offset);
  auto count = static_cast<std::uint64_t>(elements);
  const auto arguments = pointers_to(at, count, seed, kind);
  return launch(kernels_.noise, count, arguments);
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
    total += rounded_up(sizes[i]) + gap();
  }
  if (total > bytes_) {
    return Error{ke::Failure::device,
                 fmt::format("the buffers of a call take {} bytes, {} are shared", total, bytes_)};
  }
  made.at_end = random_.below(2) == 0;
  const std::int64_t moved =
      made.at_end ? bytes_ - made.offsets[order.back()] - rounded_up(sizes[order.back()]) : 0;
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
  while (!stored_.empty() &&
         (stored_bytes_ + bytes > kept_bytes || stored_.size() >= kept_contents)) {
    d_.memory_free(stored_.back().memory);
    stored_bytes_ -= stored_.back().bytes;
    stored_.pop_back();
  }
}

Result<const GpuMemory::Stored*> GpuMemory::stored(const FreshContent& content) {
  const auto known = std::ranges::find(stored_, content.entry, &Stored::content);
  if (known != stored_.end()) {
    stored_.splice(stored_.begin(), stored_, known);
    return static_cast<const Stored*>(&stored_.front());
  }
  Stored fresh;
  fresh.content = content.entry;
  KE_TRY_VOID(upload(*content.entry, fresh));
  stored_bytes_ += fresh.bytes;
  stored_.push_front(std::move(fresh));
  return static_cast<const Stored*>(&stored_.front());
}

Result<void> GpuMemory::upload(const Content& content, Stored& into) {
  struct Part {
    const void* from;
    std::size_t bytes;
    std::vector<Address>* list;
  };
  std::vector<Part> parts;
  for (const auto& input : content.inputs)
    parts.push_back({input.data(), input.size(), &into.inputs});
  for (std::size_t o = 0; o < content.expected.size(); ++o) {
    const OutputFacts& facts = content.facts[o];
    const bool whole = is_int(content.task->tensors[content.inputs.size() + o].dtype);
    const void* const expected =
        whole ? static_cast<const void*>(content.integers[o].data()) : content.expected[o].data();
    parts.push_back({expected, content.expected[o].size() * sizeof(double), &into.expected});
    parts.push_back({facts.row_rms.data(), facts.row_rms.size() * sizeof(double), &into.rms});
    parts.push_back({facts.clean.data(), facts.clean.size(), &into.clean});
  }
  for (const Part& part : parts) into.bytes += rounded_up(static_cast<std::int64_t>(part.bytes));
  drop_old(into.bytes);
  KE_CUDA(d_, memory_allocate(&into.memory, static_cast<std::size_t>(into.bytes)));
  Address at = into.memory;
  for (const Part& part : parts) {
    part.list->push_back(at);
    if (part.bytes > 0) KE_CUDA(d_, copy_to_device(at, part.from, part.bytes));
    at += static_cast<Address>(rounded_up(static_cast<std::int64_t>(part.bytes)));
  }
  return {};
}

Result<void> GpuMemory::place(const FreshContent& content,
                              std::span<const std::int64_t> scratch_bytes, const Layout& layout) {
  const Shapes& shapes = content.shapes();
  const FillKind fill = random_fill_kind(random_.bits());
  for (std::size_t o = 0; o < content.entry->expected.size(); ++o) {
    KE_TRY_VOID(fill_output(content, o, fill, layout));
  }
  KE_TRY(const Stored* from, stored(content));
  for (const Layout::Noise& gap : layout.gaps) {
    KE_TRY_VOID(noise(gap.offset, gap.halves, gap.seed, gap_kind));
  }
  for (std::size_t t = 0; t < shapes.inputs; ++t) {
    Address to = base_ + static_cast<Address>(layout.offsets[t]);
    Address source = from->inputs[t];
    Shift shift = shift_of(shapes.tensors[t], content.rotation);
    auto count = static_cast<std::uint32_t>(shapes.tensors[t].elements);
    float factor = content.input_factors[t];
    int kind = kind_of(content, t);
    const auto arguments = pointers_to(to, source, shift, count, factor, kind);
    KE_TRY_VOID(launch(kernels_.place, count, arguments));
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
  Address at = base_ + static_cast<Address>(layout.offsets[t]);
  auto count = static_cast<std::uint64_t>(shape.elements);
  std::uint64_t seed = random_.bits();
  int of = kind_of(content, t), fill = static_cast<int>(kind);
  const auto arguments = pointers_to(at, count, seed, of, fill);
  return launch(kernels_.fill, count, arguments);
}

Result<void> GpuMemory::write_answer(const FreshContent& content, std::size_t output,
                                     std::int64_t offset) {
  KE_TRY(const Stored* from, stored(content));
  const std::size_t t = content.shapes().inputs + output;
  Address to = base_ + static_cast<Address>(offset), want = from->expected[output];
  Shift shift = shift_of(content.shapes().tensors[t], content.rotation);
  auto count = static_cast<std::uint32_t>(content.shapes().tensors[t].elements);
  double factor = content.output_factors[output];
  int kind = kind_of(content, t);
  const auto arguments = pointers_to(to, want, shift, count, factor, kind);
  return launch(kernels_.answer, count, arguments);
}

// --- judging ---

Result<CallFindings> GpuMemory::inspect(const FreshContent& content, const Layout& layout) {
  KE_TRY(const Stored* from, stored(content));
  const Shapes& shapes = content.shapes();
  KE_CHECK(shapes.tensors.size() <= most_outputs);
  Results results;
  KE_CUDA(d_, copy_to_device(results_, &results, sizeof results));
  for (std::size_t t = 0; t < shapes.inputs; ++t) {
    Address got = base_ + static_cast<Address>(layout.offsets[t]);
    Address source = from->inputs[t];
    Shift shift = shift_of(shapes.tensors[t], content.rotation);
    auto count = static_cast<std::uint32_t>(shapes.tensors[t].elements);
    float factor = content.input_factors[t];
    int kind = kind_of(content, t);
    Address changed = results_ + offsetof(Results, changed) + t * sizeof(std::uint64_t);
    const auto arguments = pointers_to(got, source, shift, count, factor, kind, changed);
    KE_TRY_VOID(launch(kernels_.intact, count, arguments));
  }
  for (const Layout::Noise& gap : layout.gaps) {
    if (gap.halves <= 0) continue;
    Address at = base_ + static_cast<Address>(gap.offset);
    auto halves = static_cast<std::uint64_t>(gap.halves);
    std::uint64_t seed = gap.seed;
    Address broken = results_ + offsetof(Results, broken);
    const auto arguments = pointers_to(at, halves, seed, broken);
    KE_TRY_VOID(launch(kernels_.check_gap, halves, arguments));
  }
  CallFindings found;
  KE_TRY_VOID(compare_outputs(content, *from, layout, found));
  KE_CUDA(d_, stream_synchronize(stream_));
  KE_CUDA(d_, copy_to_host(&results, results_, sizeof results));
  for (std::size_t t = shapes.inputs; t-- > 0;) {
    if (results.changed[t] == 0) continue;
    found.changed_inputs = static_cast<std::int64_t>(results.changed[t]);
    found.changed_input = content.task().tensors[t].name;
  }
  found.broken_gaps = static_cast<std::int64_t>(results.broken);
  bool wrong = false;
  for (std::size_t o = 0; o < content.entry->expected.size(); ++o) {
    const DeviceVerdict& verdict = results.outputs[o];
    const bool right = is_right(content, o, verdict);
    const double worst = std::bit_cast<double>(verdict.worst);
    found.margin = std::max(found.margin, right ? std::min(worst, 1.0) : worst);
    wrong = wrong || !right;
  }
  // The host describes the error, in the same words for every evaluator.
  if (wrong) {
    KE_TRY(found.mismatch, compare_on_host(content, layout));
  }
  return found;
}

Result<void> GpuMemory::compare_outputs(const FreshContent& content, const Stored& from,
                                        const Layout& layout, CallFindings&) {
  const Shapes& shapes = content.shapes();
  for (std::size_t o = 0; o < content.entry->expected.size(); ++o) {
    const std::size_t t = shapes.inputs + o;
    Address got = base_ + static_cast<Address>(layout.offsets[t]);
    Address want = from.expected[o], rms = from.rms[o], clean = from.clean[o];
    Shift shift = shift_of(shapes.tensors[t], content.rotation);
    auto count = static_cast<std::uint32_t>(shapes.tensors[t].elements);
    auto row = static_cast<std::uint32_t>(content.entry->facts[o].row);
    Rule rule = rule_of(content, o);
    Address out = results_ + offsetof(Results, outputs) + o * sizeof(DeviceVerdict);
    const auto arguments = pointers_to(got, want, rms, clean, shift, count, row, rule, out);
    KE_TRY_VOID(launch(kernels_.compare, count, arguments));
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
    KE_CUDA(d_, copy_to_host(bytes.data(), base_ + static_cast<Address>(layout.offsets[t]),
                             bytes.size()));
  }
  for (const auto& bytes : outputs) pointers.push_back(bytes.data());
  return compare(content, pointers);
}

Result<double> GpuMemory::copy_bytes_per_ns(std::int64_t bytes) {
  const std::int64_t half = std::min(bytes, bytes_) / 2 / 16 * 16;
  Event begin = nullptr, end = nullptr;
  KE_CUDA(d_, event_create(&begin, 0));
  KE_CUDA(d_, event_create(&end, 0));
  double best = 0;
  for (int i = 0; i < 5; ++i) {
    KE_CUDA(d_, event_record(begin, stream_));
    KE_CUDA(d_, copy_on_device(base_, base_ + static_cast<Address>(half),
                               static_cast<std::size_t>(half), stream_));
    KE_CUDA(d_, event_record(end, stream_));
    KE_CUDA(d_, stream_synchronize(stream_));
    float ms = 0;
    KE_CUDA(d_, event_elapsed(&ms, begin, end));
    if (ms > 0) best = std::max(best, 2 * static_cast<double>(half) / (double{ms} * 1e6));
  }
  return best;
}

}  // namespace ke::gpu

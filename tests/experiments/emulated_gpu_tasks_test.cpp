// Runs structured tensor-core kernels and HIP kernels, with their launch plans, in an emulation of
// a block on the CPU. Judges the results like those of a device: at the small workloads, at default
// knobs and at random points.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <ostream>

#include "experiments/run/evaluators/cpu.hpp"
#include "experiments/run/evaluators/oracle.hpp"
#include "fitness/content/compare.hpp"
#include "fitness/content/content_pool.hpp"
#include "fitness/plan/resolve_plan.hpp"
#include "fitness/task.hpp"
#include "tests/experiments/emulation/tensor_map.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ke {
namespace {

constexpr std::int64_t most_elements = 60'000;
constexpr std::size_t shared_room = 232'448;
constexpr std::size_t guard = 64;  // elements after an output
constexpr std::byte untouched{0x5a};

/// Type of emulated::launch.
using Launch = bool (*)(void** arguments, const unsigned* grid, const unsigned* block,
                        std::size_t shared_bytes);

/// A tensor in emulated device memory.
struct Buffer {
  explicit Buffer(std::size_t size)
      : memory(static_cast<std::byte*>(std::aligned_alloc(256, (size + 255) / 256 * 256)),
               std::free) {
    std::fill_n(memory.get(), size, untouched);
  }
  std::unique_ptr<std::byte, void (*)(void*)> memory;
};

/// Tensors, scratch and tensor maps of a call.
struct Memory {
  std::size_t tensors;
  std::vector<Buffer>& buffers;  // tensors, then scratch
  std::vector<emulated::TensorMap> maps;

  std::byte* of(const PlanBuffer& buffer) const {
    const auto index = static_cast<std::size_t>(buffer.index);
    return buffers[index + (buffer.scratch ? tensors : 0)].memory.get();
  }
  emulated::TensorMap emulated_map(const ResolvedMap& map) const {
    emulated::TensorMap made;
    made.base = reinterpret_cast<const unsigned char*>(of(map.buffer));
    for (std::size_t d = 0; d < map.dims.size(); ++d) {
      made.dims[d] = map.dims[d];
      made.box[d] = map.box[d];
      if (d > 0) made.strides[d] = map.strides_bytes[d - 1];
    }
    return made;
  }
};

struct TaskKernel {
  const char* task;
  const char* kernel;
};
void PrintTo(const TaskKernel& one, std::ostream* out) { *out << one.task << " " << one.kernel; }

class EmulatedGpuTask : public testing::TestWithParam<TaskKernel> {
 protected:
  void SetUp() override {
    if (test::sanitized) GTEST_SKIP() << test::no_fibers;
    auto task = load_task(GetParam().task, ".");
    ASSERT_TRUE(task) << task.error().message;
    task_ = *std::move(task);
    const auto bench = make_workbench("rlimits");
    ASSERT_TRUE(bench) << bench.error().message;
    auto reference = oracle_of(*task_, bench->options);
    ASSERT_TRUE(reference) << reference.error().message;
    reference_ = std::make_unique<Reference>(*std::move(reference));
  }

  Result<std::string> compiled(const std::string& name, const std::string& source,
                               const std::string& options) {
    const std::string base = folder_.file(name);
    folder_.write(name + ".cpp", source);
    const std::string command =
        "g++ -std=c++17 -w -shared -fPIC " + options + " -o " + base + ".so " + base + ".cpp";
    if (std::system(command.c_str()) != 0) return Error{Failure::io, name + " does not compile"};
    return base + ".so";
  }

  /// Compiles the kernel `entry` with its knobs to a function for the CPU.
  Launch built(const KernelSpace& space, const Kernel& kernel, const std::string& entry) {
    std::string options = "-O1 -I" KE_SOURCE_DIR "/tests/experiments/emulation -I" +
                          task_->include_dir + " " + options_;
    for (const auto& [macro, value] : space.macros(kernel)) options += " -D" + macro + "=" + value;
    const std::string room = std::to_string(shared_room);
    const std::string source =
        "#include \"" + front_ + "\"\n" + kernel.source + "\nalignas(128) uint4 memory[" + room +
        " / 16];\nextern \"C\" bool launch(void** arguments, const unsigned* grid, const unsigned* "
        "block, "
        "std::size_t bytes) {\n  return emulated::launch(" +
        entry + ", arguments, grid, block, memory, bytes, " + room + ");\n}\n";
    const auto library = compiled("kernel" + std::to_string(count_++), source, options);
    EXPECT_TRUE(library) << library.error().message;
    void* open = library ? dlopen(library->c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    return open == nullptr ? nullptr : reinterpret_cast<Launch>(dlsym(open, "launch"));
  }

  void judge(const KernelSpace& space, const Kernel& kernel) {
    const auto plan = parse_launch_plan(kernel.name, kernel.source);
    ASSERT_TRUE(plan) << plan.error().message;
    std::map<std::string, Launch> launches;
    for (const Workload& workload : task_->workloads) {
      PlanContext context{task_.get(), &workload, plan_knobs(space, kernel), DeviceTerms{}, {}};
      context.device.sm_count = 1;  // a resident block then takes several turns
      context.occupancy = [](const auto&, std::int64_t, std::int64_t) {
        return Result<std::int64_t>(1);
      };
      const auto resolved = resolve_plan(*plan, context);
      ASSERT_TRUE(resolved) << resolved.error().message;
      for (const ResolvedStep& step : resolved->steps) {
        Launch& launch = launches[step.kernel];
        if (launch == nullptr) launch = built(space, kernel, step.kernel);
        ASSERT_NE(launch, nullptr);
      }
      run(workload, *resolved, launches);
    }
  }

  void run(const Workload& workload, const ResolvedPlan& plan,
           const std::map<std::string, Launch>& launches) {
    const auto shapes = resolve_shapes(*task_, workload);
    ASSERT_TRUE(shapes);
    std::int64_t elements = 0;
    for (const TensorShape& shape : shapes->tensors) elements += shape.elements;
    if (elements > most_elements) return;
    auto pool =
        ContentPool::create(*task_, workload, *reference_, random_, {.entries = 1, .cases = {}});
    ASSERT_TRUE(pool) << pool.error().message;
    const std::size_t one = turn_++ % (ContentPool::cases(*task_) + 1);
    const FreshContent content =
        pool->new_draw(one < ContentPool::cases(*task_) ? one : varied_case);
    std::vector<Buffer> buffers;
    std::vector<std::byte*> inputs;
    for (const TensorShape& shape : shapes->tensors) {
      buffers.emplace_back(static_cast<std::size_t>(shape.bytes) + 2 * guard);
      if (inputs.size() < shapes->inputs) inputs.push_back(buffers.back().memory.get());
    }
    write_inputs(content, inputs);
    const std::byte* output = buffers.back().memory.get();
    for (const std::int64_t bytes : plan.scratch_bytes) {
      buffers.emplace_back(static_cast<std::size_t>(bytes));
    }
    Memory memory{shapes->tensors.size(), buffers, {}};
    for (const ResolvedMap& map : plan.maps) memory.maps.push_back(memory.emulated_map(map));
    for (const ResolvedStep& step : plan.steps) {
      EXPECT_TRUE(called(step, memory, launches.at(step.kernel)))
          << workload.label << ": beyond its shared memory";
    }
    const auto size = static_cast<std::size_t>(shapes->tensors.back().bytes);
    const auto mismatch = compare(content, {&output, 1});
    EXPECT_FALSE(mismatch) << workload.label << ", " << content.entry->label << ": "
                           << mismatch->text();
    EXPECT_TRUE(std::all_of(output + size, output + size + 2 * guard,
                            [](std::byte byte) { return byte == untouched; }))
        << workload.label << ": beyond its output";
  }

  static bool called(const ResolvedStep& step, Memory& memory, Launch launch) {
    std::vector<void*> pointers(step.arguments.size()), arguments;
    std::vector<std::int64_t> numbers(step.arguments.size());
    for (std::size_t i = 0; i < step.arguments.size(); ++i) {
      const ResolvedArgument& argument = step.arguments[i];
      if (argument.kind == ResolvedArgument::Kind::buffer) {
        pointers[i] = memory.of(argument.buffer);
        arguments.push_back(&pointers[i]);
      } else if (argument.kind == ResolvedArgument::Kind::map) {
        arguments.push_back(&memory.maps[static_cast<std::size_t>(argument.value)]);
      } else {
        numbers[i] = argument.value;
        arguments.push_back(&numbers[i]);
      }
    }
    const std::vector<unsigned> grid(step.grid.begin(), step.grid.end());
    const std::vector<unsigned> block(step.block.begin(), step.block.end());
    return launch(arguments.data(), grid.data(), block.data(),
                  static_cast<std::size_t>(step.shared_bytes));
  }

  std::string front_ = "cuda_block.cuh";  // included before every kernel
  std::string options_;
  test::TemporaryFolder folder_;
  std::shared_ptr<const Task> task_;
  std::unique_ptr<Reference> reference_;
  SecretRandom random_{{1, 2, 3, 4}};
  int count_ = 0;         // number of kernels
  std::size_t turn_ = 0;  // input classes take turns
};

TEST_P(EmulatedGpuTask, structured_kernels_are_right_at_their_defaults_and_elsewhere) {
  const std::string* found = task_->kernel_source(GetParam().kernel);
  ASSERT_NE(found, nullptr);
  const std::string& source = *found;
  const auto space = parse_kernel_space(GetParam().kernel, source);
  ASSERT_TRUE(space) << space.error().message;
  const Kernel defaults = space->defaults(GetParam().kernel, source);
  judge(*space, defaults);
  RandomStream random(StreamKey{.seed = 3});
  const auto point = space->sample(defaults, random);
  ASSERT_TRUE(point);
  judge(*space, *point);
}

class EmulatedHipTask : public EmulatedGpuTask {
 protected:
  void SetUp() override {
    EmulatedGpuTask::SetUp();
    if (task_ == nullptr) return;
    auto port = in_language(*task_, "hip");
    ASSERT_TRUE(port) << port.error().message;
    task_ = std::make_shared<const Task>(*std::move(port));
    front_ = "hip_block.h";
  }
};

TEST_P(EmulatedHipTask, kernels_are_right_with_waves_of_64_lanes) {
  const std::string& source = *task_->kernel_source("anchor");
  const auto space = parse_kernel_space("anchor", source);
  ASSERT_TRUE(space) << space.error().message;
  const Kernel defaults = space->defaults("anchor", source);
  Kernel half_wave = defaults;
  half_wave.knobs["THREADS"] = "32";
  options_ = "-DEMULATED_WARP_SIZE=64";
  for (const Kernel& kernel : {defaults, half_wave}) judge(*space, kernel);
}

std::string name_of(const testing::TestParamInfo<TaskKernel>& one) {
  const std::string task = std::string(one.param.task).substr(sizeof "recsys");
  return task + "_" + one.param.kernel;
}

INSTANTIATE_TEST_SUITE_P(Recsys, EmulatedHipTask,
                         testing::Values(TaskKernel{"recsys/rmsnorm", "hip"},
                                         TaskKernel{"recsys/softmax", "hip"}),
                         name_of);

INSTANTIATE_TEST_SUITE_P(Recsys, EmulatedGpuTask,
                         testing::Values(TaskKernel{"recsys/conv1d", "tensor"},
                                         TaskKernel{"recsys/conv1d_f16", "anchor"},
                                         TaskKernel{"recsys/conv1d_f16", "columns"},
                                         TaskKernel{"recsys/dot_interaction", "tensor"},
                                         TaskKernel{"recsys/dot_interaction_bf16", "anchor"},
                                         TaskKernel{"recsys/fm_interaction", "tensor"},
                                         TaskKernel{"recsys/gemm_gelu_bf16", "warps"},
                                         TaskKernel{"recsys/sgemm", "tensor"}),
                         name_of);

}  // namespace
}  // namespace ke

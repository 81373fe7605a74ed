// Exported libraries for GPUs launch the same kernels as the judge does for the same plans. A
// stand-in for the driver records the launches.

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <fstream>

#include "experiments/dispatch/compose_plan.hpp"
#include "experiments/dispatch/launch_text.hpp"
#include "experiments/dispatch/library_folder.hpp"
#include "experiments/dispatch/library_text.hpp"
#include "experiments/run/evaluators/cpu.hpp"
#include "fitness/plan/planned_kernel.hpp"
#include "tests/support/fake_cuda.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ke {
namespace {

constexpr std::uint64_t workspace_at = 1 << 20;

std::uint64_t tensor_at(std::size_t i) { return (i + 1) << 30; }

/// A GPU and the stand-in for its driver.
struct Vendor {
  const char* library;
  std::string gpu, arch;
  DeviceTerms terms;
};

const Vendor nvidia{KE_FAKE_CUDA, "NVIDIA H200", "sm_90a", {}};
const Vendor amd{KE_FAKE_AMD, "AMD Instinct MI300X", "gfx942", hip::terms_of("gfx942")};

/// The driver's stand-in, which every library then opens.
class FakeDriver {
 public:
  explicit FakeDriver(const Vendor& vendor)
      : library_(dlopen(vendor.library, RTLD_NOW | RTLD_LOCAL)) {
    KE_CHECK(library_ != nullptr);
  }
  void tell(const std::string& kernel, const std::vector<std::size_t>& sizes) const {
    find<FakeCudaArguments>("fake_cuda_arguments")(kernel.c_str(), sizes.data(), sizes.size());
  }
  std::string log() const { return find<FakeCudaLog>("fake_cuda_log")(); }

 private:
  template <typename Function>
  Function find(const char* name) const {
    return reinterpret_cast<Function>(dlsym(library_, name));
  }
  void* library_;
};

/// Launches that the judge would make.
class Expected {
 public:
  Expected(const ResolvedPlan& plan) : plan_(plan) {
    std::int64_t used = 0;
    for (const std::int64_t bytes : plan.scratch_bytes) {
      scratch_.push_back(workspace_at + static_cast<std::uint64_t>(used));
      used += (bytes + 255) / 256 * 256;
    }
    workspace_bytes = static_cast<std::size_t>(used);
    for (const ResolvedStep& step : plan.steps) text += step_text(step);
  }

  std::string text;
  std::size_t workspace_bytes = 0;
  std::map<std::string, std::vector<std::size_t>> sizes;  ///< argument sizes by kernel

 private:
  std::uint64_t address(const PlanBuffer& buffer) const {
    const auto at = static_cast<std::size_t>(buffer.index);
    return buffer.scratch ? scratch_[at] : tensor_at(at);
  }

  std::string map_text(const ResolvedMap& map) const {
    const std::string text = fmt::format(
        "map {} of {} {} {} {} {} {}{}{}{}", tensor_map_type(map.dtype), address(map.buffer),
        fmt::join(map.dims, " "), fmt::join(map.strides_bytes, " "), fmt::join(map.box, " "),
        fmt::join(map.element_strides, " "), map.interleave, map.swizzle, map.promotion, map.fill);
    return text.substr(0, 127);
  }

  std::string argument(const ResolvedArgument& one, std::size_t& bytes) const {
    bytes = one.kind == ResolvedArgument::Kind::map      ? 128
            : one.kind == ResolvedArgument::Kind::word32 ? 4
                                                         : 8;
    switch (one.kind) {
      case ResolvedArgument::Kind::map:
        return map_text(plan_.maps[static_cast<std::size_t>(one.value)]);
      case ResolvedArgument::Kind::buffer: return std::to_string(address(one.buffer));
      case ResolvedArgument::Kind::word32:
        return std::to_string(static_cast<std::uint32_t>(one.value));
      default: return std::to_string(static_cast<std::uint64_t>(one.value));
    }
  }

  std::string step_text(const ResolvedStep& step) {
    if (step.kernel.empty()) {
      return fmt::format("set {} to {}, {} bytes\n", address(step.buffer), step.byte,
                         step.buffer.bytes);
    }
    std::string attributes = step.cooperative ? " cooperative" : "";
    if (step.pdl) attributes += " dependent";
    if (!step.cluster.empty())
      attributes += fmt::format(" cluster {}", fmt::join(step.cluster, ","));
    std::vector<std::string> values;
    std::vector<std::size_t> bytes(step.arguments.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      values.push_back(argument(step.arguments[i], bytes[i]));
    }
    sizes[step.kernel] = bytes;
    return test::launch_line(step.kernel, fmt::format("{}", fmt::join(step.grid, ",")),
                             fmt::format("{}", fmt::join(step.block, ",")), step.shared_bytes,
                             attributes, fmt::format("{}", fmt::join(values, " ")));
  }

  const ResolvedPlan& plan_;
  std::vector<std::uint64_t> scratch_;
};

/// A library that calls one kernel of a shipped task everywhere.
struct OneKernel {
  Vendor vendor;
  std::shared_ptr<const Task> task;
  PlannedKernel parts;
  DispatchPlan plan;
};

OneKernel one_kernel(const Vendor& vendor, const std::string& task, const Kernel& kernel) {
  OneKernel made{vendor, *load_task(task, "."), {}, {}};
  EXPECT_FALSE(take_apart(kernel, "kernel", made.parts));
  DispatchVariant variant{"kanchor", "task", "0123", {}, false, kernel.source, kernel.language};
  variant.codes = {{vendor.arch,
                    launched_kernels(made.parts.plan),
                    {"no machine code"},
                    *launch_text(*made.task, made.parts.plan, made.parts.knobs)}};
  made.plan = {task, made.task->content_hash.hex(), "library", {variant}, {}};
  DispatchDevice device{vendor.gpu, vendor.arch, vendor.gpu, "today", "task", 0.1, {}, {}, {}};
  for (const Workload& workload : made.task->workloads) {
    device.shapes.push_back(
        {workload.label, "bench", argument_lengths(*made.task, workload), {"kanchor"}, {}});
  }
  made.plan.devices = {device};
  return made;
}

OneKernel one_kernel(const std::string& task, const std::string& name,
                     const Vendor& vendor = nvidia) {
  const auto loaded = *load_task(task, ".");
  return one_kernel(vendor, task, make_seed(*loaded, name, *loaded->kernel_source(name))->kernel);
}

/// Calls a library's `function` with the tensors' addresses, lengths, workspace and stream. The
/// pointer of index `moved` (the workspace comes last) points `bytes` further.
int call_library(void* function, const Task& task, const std::vector<std::size_t>& lengths,
                 std::size_t moved = 0, std::uint64_t bytes = 0) {
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < task.tensors.size(); ++i) words.push_back(tensor_at(i));
  words.insert(words.end(), lengths.begin(), lengths.end());
  words.push_back(workspace_at);
  words[moved < task.tensors.size() ? moved : words.size() - 1] += bytes;
  words.push_back(0);
  words.resize(12);  // a callee with fewer parameters ignores the rest
  const auto call = reinterpret_cast<int (*)(
      std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
      std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t)>(
      function);
  return call(words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7],
              words[8], words[9], words[10], words[11]);
}

std::size_t ask_workspace(void* function, const std::vector<std::size_t>& lengths) {
  std::vector<std::uint64_t> words = {tensor_at(0)};
  words.insert(words.end(), lengths.begin(), lengths.end());
  words.resize(6);
  const auto call =
      reinterpret_cast<std::size_t (*)(std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                                       std::uint64_t, std::uint64_t)>(function);
  return call(words[0], words[1], words[2], words[3], words[4], words[5]);
}

void refuses_misaligned_pointers(void* function, const OneKernel& one,
                                 const std::vector<std::size_t>& lengths) {
  constexpr int invalid_value = 1;
  const std::vector<TensorSpec>& tensors = one.task->tensors;
  for (std::size_t i = 0; i <= tensors.size(); ++i) {
    const auto align = i < tensors.size() ? static_cast<std::uint64_t>(tensors[i].align) : 256;
    EXPECT_EQ(call_library(function, *one.task, lengths, i, align / 2), invalid_value) << i;
  }
}

/// Compares the launches at every workload; returns the number of workloads.
std::size_t compare_launches(const OneKernel& one) {
  const FakeDriver driver(one.vendor);
  const test::TemporaryFolder folder;
  EXPECT_TRUE(write_library(folder.path(), *one.task, one.plan));
  const auto built = build_library(folder.path(), one.plan);
  if (!built) ADD_FAILURE() << built.error().message;
  if (!built) return 0;
  void* const library = dlopen(built->c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  for (const Workload& workload : one.task->workloads) {
    PlanContext context{one.task.get(), &workload, one.parts.knobs, one.vendor.terms, {}};
    context.occupancy = [](const std::string&, std::int64_t threads,
                           std::int64_t shared) -> Result<std::int64_t> {
      return std::int64_t{test::fake_occupancy(threads, shared)};
    };
    const auto resolved = resolve_plan(one.parts.plan, context);
    if (!resolved) ADD_FAILURE() << resolved.error().message;
    if (!resolved) return 0;
    const Expected expected(*resolved);
    for (const auto& [kernel, sizes] : expected.sizes) driver.tell(kernel, sizes);
    const auto lengths = argument_lengths(*one.task, workload);
    EXPECT_EQ(ask_workspace(dlsym(library, "library_workspace"), lengths),
              expected.workspace_bytes);
    driver.log();
    EXPECT_EQ(call_library(dlsym(library, "library"), *one.task, lengths), 0) << workload.label;
    EXPECT_EQ(driver.log(), expected.text) << workload.label;
    refuses_misaligned_pointers(dlsym(library, "library"), one, lengths);
    EXPECT_EQ(driver.log(), "") << workload.label;
  }
  dlclose(library);
  return one.task->workloads.size();
}

TEST(GpuLibrary, launches_what_the_judge_launches_with_scratch_memory) {
  EXPECT_GT(compare_launches(one_kernel("recsys/fm_interaction", "anchor")), 4);
}

TEST(GpuLibrary, launches_what_the_judge_launches_with_an_occupancy) {
  EXPECT_GT(compare_launches(one_kernel("recsys/dot_interaction", "model")), 4);
}

TEST(GpuLibrary, launches_what_the_judge_launches_with_maps_and_clusters) {
  EXPECT_GT(compare_launches(one_kernel("recsys/gemm_gelu_bf16", "clusters")), 4);
}

TEST(GpuLibrary, launches_on_amd_gpus_what_the_judge_launches) {
  EXPECT_GT(compare_launches(one_kernel("recsys/softmax", "hip", amd)), 4);
  EXPECT_GT(compare_launches(one_kernel("recsys/rmsnorm", "hip", amd)), 4);
}

TEST(GpuLibrary, launches_on_amd_gpus_all_that_their_plans_may_hold) {
  Kernel kernel;
  kernel.language = "hip";
  kernel.source =
      "// @scratch parts float32 [rows, sm_count] zeroed\n"
      "// @scratch flags int32 [rows]\n"
      "// @memset flags = 7\n"
      "// @launch fill grid=(min(rows, sm_count), ceil_div(cols, 256)) block=(64, 4) "
      "args=(x, parts, flags, int32(rows), int64(cols / 2), l2_bytes + smem_optin)\n"
      "// @launch together grid=(occupancy(together) * sm_count) block=(256) shared=cols % 100 * "
      "64 "
      "cooperative args=(parts, y, rows)\n"
      "// @launch last grid=(rows) block=(64) when=cols > 500 args=()\n";
  EXPECT_GT(compare_launches(one_kernel(amd, "recsys/softmax", kernel)), 4);
}

TEST(GpuLibrary, launches_nothing_where_its_plan_has_no_numbers) {
  Kernel kernel;
  kernel.language = "hip";
  kernel.source =
      "// @launch first grid=(rows) block=(64) when=rows > 3 args=()\n"
      "// @launch second grid=(100 / (rows - 7)) block=(64) shared=rows - 5 when=rows > 3 "
      "args=()\n";
  const OneKernel one = one_kernel(amd, "recsys/softmax", kernel);
  const FakeDriver driver(one.vendor);
  const test::TemporaryFolder folder;
  ASSERT_TRUE(write_library(folder.path(), *one.task, one.plan));
  const auto built = build_library(folder.path(), one.plan);
  ASSERT_TRUE(built) << built.error().message;
  void* const library = dlopen(built->c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  for (const char* launched : {"first", "second"}) driver.tell(launched, {});
  const auto status_of = [&](std::size_t rows) {
    return call_library(dlsym(library, "library"), *one.task, {rows, 64});
  };
  for (const std::size_t rows : {7, 4, 3}) {  // a zero divisor, memory below 0, no stage
    EXPECT_EQ(status_of(rows), 1) << rows;
    EXPECT_EQ(driver.log(), "") << rows;
  }
  EXPECT_EQ(status_of(9), 0);
  EXPECT_NE(driver.log(), "");
  dlclose(library);
}

TEST(GpuLibrary, is_for_one_vendor) {
  const OneKernel one = one_kernel("recsys/softmax", "anchor");
  const OneKernel other = one_kernel("recsys/softmax", "hip", amd);
  const auto both = merged(one.plan, other.plan);
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().message,
            "the folder holds a library for NVIDIA GPUs, and the kernels are for AMD GPUs; name "
            "another folder");
}

TEST(GpuLibrary, for_amd_gpus_is_called_experimental) {
  const OneKernel one = one_kernel("recsys/softmax", "hip", amd);
  EXPECT_THAT(readme_text(*one.task, one.plan), testing::HasSubstr("Experimental: "));
}

TEST(GpuLibrary, of_an_earlier_version_whose_launches_are_code_takes_no_kernels) {
  const OneKernel one = one_kernel("recsys/softmax", "anchor");
  DispatchPlan before = one.plan;
  before.variants.front().codes.front().launch = "inline dispatch::Status run(dispatch::Run&) {}";
  EXPECT_TRUE(merged(before, one.plan));  // made again for the same GPU: nothing old is left
  before.devices.front().extensions = "sm_100a";
  before.variants.front().codes.front().arch = "sm_100a";
  const auto both = merged(before, one.plan);
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().message,
            "the folder's library is of an earlier version, whose launch plans are code; name "
            "another folder");
}

TEST(GpuLibrary, has_no_plan_whose_calls_would_share_memory) {
  const Task task = **load_task("recsys/softmax", ".");
  const auto refusal = [&](const std::string& declared) {
    const std::string source = "// " + declared + "\n// @launch k grid=(rows) block=(32)\n";
    const auto text = launch_text(task, *parse_launch_plan("k.cu", source), {});
    return text ? std::string("taken") : text.error().message;
  };
  EXPECT_EQ(refusal("@copy x -> kept"),
            "line 1: a library copies into no variable, which calls on two streams would share");
  EXPECT_EQ(refusal("@pointers all = (x, y)"),
            "line 1: a library has no tables of pointers, which calls on two streams would share");
  EXPECT_EQ(refusal("@scratch part float32 [rows]"), "taken");
}

TEST(GpuLibrary, is_read_as_it_was_written) {
  const OneKernel one = one_kernel("recsys/softmax", "anchor");
  const test::TemporaryFolder folder;
  ASSERT_TRUE(write_plan(folder.path(), one.plan));
  const auto read = read_plan(folder.path());
  ASSERT_TRUE(read && read->has_value());
  const DispatchVariant& before = one.plan.variants.front();
  const DispatchVariant& after = (*read)->variants.front();
  EXPECT_EQ(after.language, "cuda");
  EXPECT_EQ(after.source, before.source);
  ASSERT_EQ(after.codes.size(), 1);
  EXPECT_EQ(after.codes.front().arch, "sm_90a");
  EXPECT_EQ(after.codes.front().kernels, before.codes.front().kernels);
  EXPECT_EQ(after.codes.front().cubins, before.codes.front().cubins);
  EXPECT_EQ(after.codes.front().launch, before.codes.front().launch);
  EXPECT_EQ((*read)->kind(), LibraryKind::cuda);
}

TEST(GpuLibrary, keeps_the_machine_code_of_other_architectures) {
  const OneKernel one = one_kernel("recsys/softmax", "anchor");
  DispatchPlan other = one.plan;
  other.variants.front().codes.front().arch = "sm_100a";
  other.devices.front().processor = "NVIDIA B200";
  other.devices.front().extensions = "sm_100a";
  const auto both = merged(one.plan, other);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->devices.size(), 2);
  ASSERT_EQ(both->variants.size(), 1);
  EXPECT_EQ(both->variants.front().codes.size(), 2);
}

}  // namespace
}  // namespace ke

#pragma once
// The protocol between judge and GPU worker: one request, one answer.

#include <cstdint>
#include <string>
#include <vector>

#include "core/codec.hpp"
#include "core/result.hpp"
#include "fitness/content/content.hpp"
#include "fitness/gpu/driver.hpp"
#include "fitness/plan/resolve_plan.hpp"

namespace ke::gpu {

struct WorkerRequest {
  enum class Kind {
    attach,      ///< `bytes` of memory whose descriptor follows: map it at every address set
    load,        ///< `cubins`: replace the loaded modules
    parameters,  ///< sizes of the parameters of the kernel `name`
    occupancy,   ///< blocks of `name` per multiprocessor, with `threads` and `bytes` of dynamic
                 ///< shared memory
    call,        ///< `plan` with tensors at `offsets` of address set `set`
  };
  friend constexpr Kind last_value(Kind) { return Kind::call; }
  Kind kind = Kind::call;
  std::int64_t bytes = 0;
  std::int64_t threads = 0;
  std::int64_t set = 0;
  std::int64_t flush_bytes = 0;  ///< read before the timed span to make caches cold
  std::string name = {};
  std::vector<std::string> cubins = {};
  ResolvedPlan plan = {};
  std::vector<std::int64_t> offsets = {};  ///< tensors in signature order, then scratch
  KE_CODED(kind, bytes, threads, set, flush_bytes, name, cubins, plan, offsets)
};

struct WorkerAnswer {
  std::int64_t status = 0;  ///< CUresult
  std::string text = {};    ///< error text of a failure
  std::string stage = {};   ///< the failed step: load, launch k, run
  std::vector<std::int64_t> parameter_bytes = {};
  std::int64_t number = 0;    ///< the occupancy
  std::int64_t event_ns = 0;  ///< time of a call, between events on its stream
  std::int64_t launches = 0;
  KE_CODED(status, text, stage, parameter_bytes, number, event_ns, launches)
};

/// Number of address sets at which a worker maps the shared memory.
inline constexpr std::int64_t address_sets = 2;

/// One call under compute-sanitizer or Nsight Compute, on its own memory.
struct ExaminedCall {
  ResolvedPlan plan;
  std::vector<std::int64_t> bytes;  ///< per tensor, in signature order
  std::vector<std::string> inputs;  ///< contents of the first tensors, the inputs
  KE_CODED(plan, bytes, inputs)
};

/// The file of calls that the helper program makes there.
struct ExaminedCalls {
  std::int64_t index = 0;  ///< index of the GPU
  std::vector<std::string> cubins;
  std::vector<ExaminedCall> calls;
  KE_CODED(index, cubins, calls)

  /// Adds a call with these inputs.
  void add(const ResolvedPlan& plan, const Content& content) {
    ExaminedCall& call = calls.emplace_back();
    call.plan = plan;
    for (const TensorShape& tensor : content.shapes->tensors) call.bytes.push_back(tensor.bytes);
    for (const auto& input : content.inputs) {
      call.inputs.emplace_back(reinterpret_cast<const char*>(input.data()), input.size());
    }
  }
};

using OpenDriver = std::function<Result<std::shared_ptr<const Driver>>()>;

/// Launches kernels on device `index` of the driver on requests from the judge on `fd`, until the
/// stream ends. The process ends after an error that poisons its context.
Result<void> serve_worker(const OpenDriver& open, int index, int fd);

/// Makes the calls of a file of ExaminedCalls. Error: the first call that fails.
Result<void> serve_examined(const std::string& path);

}  // namespace ke::gpu

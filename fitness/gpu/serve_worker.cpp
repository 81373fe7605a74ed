#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <map>
#include <vector>

#include "fitness/gpu/gpu_device.hpp"
#include "fitness/gpu/helper_process.hpp"
#include "fitness/gpu/worker_protocol.hpp"

namespace ke::gpu {
namespace {

constexpr std::int64_t table_bytes = 1 << 16;
constexpr std::int64_t plain_shared_bytes = 48 * 1024;

/// One kernel argument's bytes, kept alive until the launch.
struct ArgumentBytes {
  std::uint64_t word = 0;
  std::uint32_t half = 0;
};

/// Executes requests. Every failure becomes an answer with its stage.
class Worker {
 public:
  Worker(const Driver& driver, int index, int fd) : d_(driver), index_(index), fd_(fd) {}

  WorkerAnswer handle(const WorkerRequest& request) {
    answer_ = {};
    switch (request.kind) {
      case WorkerRequest::Kind::attach: attach(request); break;
      case WorkerRequest::Kind::load: load(request); break;
      case WorkerRequest::Kind::parameters: parameters(request); break;
      case WorkerRequest::Kind::occupancy: occupancy(request); break;
      case WorkerRequest::Kind::call: call(request); break;
    }
    if (answer_.status != success && answer_.text.empty()) {
      answer_.text = d_.text(static_cast<Status>(answer_.status));
    }
    return std::move(answer_);
  }

  /// Creates the stream and events that calls need.
  bool open() {
    return good(d_.stream_create(&stream_, 1), "attach") &&
           good(d_.event_create(&begin_, 0), "attach") &&
           good(d_.event_create(&end_, 0), "attach") &&
           good(d_.memory_allocate(&table_, table_bytes), "attach");
  }

 private:
  bool good(Status status, const char* stage, const std::string& of = "") {
    if (status == success) return true;
    answer_.status = status;
    answer_.stage = of.empty() ? stage : stage + (" " + of);
    return false;
  }

  void attach(const WorkerRequest& request) {
    // Acknowledge first, so that the descriptor arrives alone: a plain read would drop it.
    if (!write_frame(fd_, encode(WorkerAnswer{}))) return;
    const int descriptor = receive_descriptor(fd_);
    MemoryHandle handle = 0;
    const auto size = static_cast<std::size_t>(request.bytes);
    const bool imported =
        good(d_.import_memory(&handle,
                              reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)), 1),
             "attach");
    close(descriptor);
    if (!imported) return;
    MemoryAccess access;
    access.location.id = index_;
    for (Address& base : bases_) {
      if (!good(d_.reserve(&base, size, 0, 0, 0), "attach") ||
          !good(d_.map_memory(base, size, 0, handle, 0), "attach") ||
          !good(d_.allow_access(base, size, &access, 1), "attach")) {
        return;
      }
    }
    if (!open()) return;
    Module own = nullptr;
    if (!good(d_.module_load(&own, request.cubins.at(0)), "attach")) return;
    good(d_.module_function(&flush_, own, "ke_flush"), "attach");
  }

  void load(const WorkerRequest& request) {
    for (const Module module : modules_) d_.module_unload(module);
    modules_.clear();
    functions_.clear();
    for (const std::string& cubin : request.cubins) {
      Module module = nullptr;
      if (!good(d_.module_load(&module, cubin), "load")) return;
      modules_.push_back(module);
    }
  }

  Function function(const std::string& name) {
    const auto known = functions_.find(name);
    if (known != functions_.end()) return known->second;
    Function found = nullptr;
    Status status = not_found;
    for (const Module module : modules_) {
      status = d_.module_function(&found, module, name.c_str());
      if (status != not_found) break;
    }
    if (!good(status, "find", name)) return nullptr;
    functions_[name] = found;
    return found;
  }

  void parameters(const WorkerRequest& request) {
    const Function of = function(request.name);
    if (of == nullptr) return;
    for (std::size_t i = 0; i < 64; ++i) {
      std::size_t offset = 0, size = 0;
      if (d_.function_parameter(of, i, &offset, &size) != success) break;
      answer_.parameter_bytes.push_back(static_cast<std::int64_t>(size));
    }
  }

  bool allow_shared(Function of, std::int64_t bytes) {
    if (bytes <= plain_shared_bytes) return true;
    return good(d_.function_set_attribute(of, function_max_dynamic_shared, static_cast<int>(bytes)),
                "shared memory");
  }

  void occupancy(const WorkerRequest& request) {
    const Function of = function(request.name);
    if (of == nullptr || !allow_shared(of, request.bytes)) return;
    int blocks = 0;
    if (good(d_.occupancy(&blocks, of, static_cast<int>(request.threads),
                          static_cast<std::size_t>(request.bytes)),
             "occupancy", request.name)) {
      answer_.number = blocks;
    }
  }

  // --- calls ---

  Address address(const WorkerRequest& request, const PlanBuffer& buffer) const {
    const std::size_t tensors = request.offsets.size() - request.plan.scratch_bytes.size();
    const std::size_t at = static_cast<std::size_t>(buffer.index) + (buffer.scratch ? tensors : 0);
    return bases_[static_cast<std::size_t>(request.set)] +
           static_cast<Address>(request.offsets[at]);
  }

  bool encode_maps(const WorkerRequest& request) {
    maps_.assign(request.plan.maps.size(), TensorMap{});
    for (std::size_t m = 0; m < maps_.size(); ++m) {
      const ResolvedMap& map = request.plan.maps[m];
      std::uint64_t dims[5] = {}, strides[5] = {};
      std::uint32_t box[5] = {}, steps[5] = {};
      for (std::size_t i = 0; i < map.dims.size(); ++i) {
        dims[i] = static_cast<std::uint64_t>(map.dims[i]);
        box[i] = static_cast<std::uint32_t>(map.box[i]);
        steps[i] = static_cast<std::uint32_t>(map.element_strides[i]);
        if (i > 0) strides[i - 1] = static_cast<std::uint64_t>(map.strides_bytes[i - 1]);
      }
      const Status status = d_.encode_tensor_map(
          &maps_[m], tensor_map_type(map.dtype), static_cast<std::uint32_t>(map.dims.size()),
          reinterpret_cast<void*>(address(request, map.buffer)), dims, strides, box, steps,
          static_cast<int>(map.interleave), static_cast<int>(map.swizzle),
          static_cast<int>(map.promotion), static_cast<int>(map.fill));
      if (!good(status, "tensor map", std::to_string(m))) return false;
    }
    return true;
  }

  bool write_tables(const WorkerRequest& request) {
    tables_.clear();
    std::vector<Address> all;
    for (const auto& table : request.plan.tables) {
      tables_.push_back(table_ + all.size() * sizeof(Address));
      for (const PlanBuffer& buffer : table) all.push_back(address(request, buffer));
    }
    if (all.empty()) return true;
    if (all.size() * sizeof(Address) > table_bytes) return good(invalid_value, "pointer tables");
    return good(d_.copy_to_device(table_, all.data(), all.size() * sizeof(Address)), "tables");
  }

  void* argument_of(const WorkerRequest& request, const ResolvedArgument& argument,
                    ArgumentBytes& bytes) {
    switch (argument.kind) {
      case ResolvedArgument::Kind::map: return &maps_[static_cast<std::size_t>(argument.value)];
      case ResolvedArgument::Kind::table:
        bytes.word = tables_[static_cast<std::size_t>(argument.value)];
        return &bytes.word;
      case ResolvedArgument::Kind::buffer:
        bytes.word = address(request, argument.buffer);
        return &bytes.word;
      case ResolvedArgument::Kind::word32:
        bytes.half = static_cast<std::uint32_t>(argument.value);
        return &bytes.half;
      case ResolvedArgument::Kind::word64: break;
    }
    bytes.word = static_cast<std::uint64_t>(argument.value);
    return &bytes.word;
  }

  bool launch(const WorkerRequest& request, const ResolvedStep& step) {
    const Function of = function(step.kernel);
    if (of == nullptr || !allow_shared(of, step.shared_bytes)) return false;
    if (step.carveout >= 0)
      d_.function_set_attribute(of, function_carveout, static_cast<int>(step.carveout));
    LaunchConfig config;
    for (std::size_t i = 0; i < 3; ++i) {
      config.grid[i] = static_cast<unsigned>(step.grid[i]);
      config.block[i] = static_cast<unsigned>(step.block[i]);
    }
    config.shared_bytes = static_cast<unsigned>(step.shared_bytes);
    config.stream = stream_;
    LaunchAttribute attributes[3];
    config.attributes = attributes;
    const auto number = [&](int id) {
      attributes[config.count].id = id;
      attributes[config.count++].value.number = 1;
    };
    if (step.cooperative) number(LaunchAttribute::cooperative);
    // The caller's work lies ahead of the first launch, so it must have ended.
    if (step.pdl && answer_.launches > 0) number(LaunchAttribute::programmatic);
    if (!step.cluster.empty()) {
      LaunchAttribute& cluster = attributes[config.count++];
      cluster.id = LaunchAttribute::cluster;
      for (std::size_t i = 0; i < 3; ++i) {
        cluster.value.extent[i] = static_cast<unsigned>(step.cluster[i]);
      }
    }
    std::vector<ArgumentBytes> bytes(step.arguments.size());
    std::vector<void*> pointers;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      pointers.push_back(argument_of(request, step.arguments[i], bytes[i]));
    }
    ++answer_.launches;
    return good(d_.launch(&config, of, pointers.data(), nullptr), "launch", step.kernel);
  }

  bool run(const WorkerRequest& request, const ResolvedStep& step) {
    if (!step.kernel.empty()) return launch(request, step);
    const Address buffer = address(request, step.buffer);
    const auto size = static_cast<std::size_t>(step.buffer.bytes);
    if (step.symbol.empty()) {
      return good(d_.set_bytes(buffer, static_cast<unsigned char>(step.byte), size, stream_),
                  "memset");
    }
    Address symbol = 0;
    std::size_t room = 0;
    Status status = not_found;
    for (const Module module : modules_) {
      status = d_.module_global(&symbol, &room, module, step.symbol.c_str());
      if (status != not_found) break;
    }
    if (!good(status, "copy", step.symbol)) return false;
    if (room < size) return good(invalid_value, "copy is too large for", step.symbol);
    return good(d_.copy_on_device(symbol, buffer, size, stream_), "copy", step.symbol);
  }

  // Reads memory that no candidate uses, so that caches hold nothing of the coming call.
  bool flush(std::int64_t bytes) {
    if (bytes <= 0) return true;
    if (flush_bytes_ < bytes) {
      if (flush_memory_ != 0) d_.memory_free(flush_memory_);
      flush_bytes_ = 0;
      if (!good(d_.memory_allocate(&flush_memory_, static_cast<std::size_t>(bytes)), "flush") ||
          !good(d_.set_bytes(flush_memory_, 1, static_cast<std::size_t>(bytes), stream_),
                "flush")) {
        return false;
      }
      flush_bytes_ = bytes;
    }
    d_.reset_persisting_l2();
    LaunchConfig config;
    config.grid[0] = 1056;
    config.block[0] = 512;
    config.stream = stream_;
    std::uint64_t words = static_cast<std::uint64_t>(bytes) / 16;
    Address sink = table_;
    void* arguments[] = {&flush_memory_, &words, &sink};
    return good(d_.launch(&config, flush_, arguments, nullptr), "flush");
  }

  // The host runs ahead of the device during the flush, so launch overhead is not in the span.
  void call(const WorkerRequest& request) {
    for (const ResolvedStep& step : request.plan.steps) {
      if (!step.kernel.empty() && function(step.kernel) == nullptr) return;
    }
    if (!encode_maps(request) || !write_tables(request)) return;
    if (!flush(request.flush_bytes)) return;
    if (!good(d_.event_record(begin_, stream_), "event")) return;
    bool started = true;
    for (const ResolvedStep& step : request.plan.steps) started = started && run(request, step);
    const Status recorded = d_.event_record(end_, stream_);
    const Status ran = d_.context_synchronize();
    if (!good(ran, "run") || !started || !good(recorded, "event")) return;
    float ms = 0;
    if (good(d_.event_elapsed(&ms, begin_, end_), "event")) {
      answer_.event_ns = static_cast<std::int64_t>(static_cast<double>(ms) * 1e6);
    }
  }

  const Driver& d_;
  int index_;
  int fd_;
  WorkerAnswer answer_;
  Address bases_[address_sets] = {};
  Address table_ = 0, flush_memory_ = 0;
  std::int64_t flush_bytes_ = 0;
  Stream stream_ = nullptr;
  Event begin_ = nullptr, end_ = nullptr;
  Function flush_ = nullptr;
  std::vector<Module> modules_;
  std::map<std::string, Function> functions_;
  std::vector<TensorMap> maps_;
  std::vector<Address> tables_;
};

/// Allocations of one call, each of exactly the requested size.
class ExactMemory {
 public:
  explicit ExactMemory(const Driver& driver) : d_(driver) {}
  ExactMemory(const ExactMemory&) = delete;
  ExactMemory& operator=(const ExactMemory&) = delete;
  ~ExactMemory() {
    for (const Address address : taken_) d_.memory_free(address);
  }
  Result<std::int64_t> take(std::int64_t bytes) {
    Address address = 0;
    KE_CUDA(d_, memory_allocate(&address, static_cast<std::size_t>(bytes)));
    taken_.push_back(address);
    return static_cast<std::int64_t>(address);
  }

 private:
  const Driver& d_;
  std::vector<Address> taken_;
};

// No address set is mapped, so offsets are addresses.
Result<void> examine(const Driver& driver, Worker& worker, const ExaminedCall& call) {
  ExactMemory memory(driver);
  WorkerRequest request{.kind = WorkerRequest::Kind::call, .plan = call.plan};
  for (const std::int64_t bytes : call.bytes) {
    KE_TRY(const std::int64_t address, memory.take(bytes));
    const std::size_t tensor = request.offsets.size();
    request.offsets.push_back(address);
    if (tensor >= call.inputs.size()) continue;
    const std::string& input = call.inputs[tensor];
    KE_CUDA(driver, copy_to_device(static_cast<Address>(address), input.data(), input.size()));
  }
  for (const std::int64_t bytes : call.plan.scratch_bytes) {
    KE_TRY(const std::int64_t address, memory.take(bytes));
    request.offsets.push_back(address);
  }
  const WorkerAnswer answer = worker.handle(request);
  if (answer.status == success) return {};
  return Error{ke::Failure::device, answer.stage + ": " + answer.text};
}

}  // namespace

Result<void> serve_examined(const std::string& path) {
  dup2(STDOUT_FILENO, STDERR_FILENO);  // error messages belong in the tool's output
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::string bytes(static_cast<std::size_t>(std::max<std::streamoff>(file.tellg(), 0)), '\0');
  file.seekg(0).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  KE_TRY(const ExaminedCalls all, decode<ExaminedCalls>(bytes));
  KE_TRY(const auto driver, load_driver());
  KE_TRY_VOID(enter_gpu(*driver, static_cast<int>(all.index)));
  constexpr int no_socket = -1;
  Worker worker(*driver, static_cast<int>(all.index), no_socket);
  const WorkerRequest load{.kind = WorkerRequest::Kind::load, .cubins = all.cubins};
  const bool open = worker.open();
  if (const WorkerAnswer answer = worker.handle(load); !open || answer.status != success) {
    return Error{ke::Failure::device, "load: " + answer.text};
  }
  for (const ExaminedCall& call : all.calls) KE_TRY_VOID(examine(*driver, worker, call));
  return {};
}

Result<void> serve_worker(const OpenDriver& open, int index, int fd) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  KE_TRY(const auto driver, open());
  KE_TRY_VOID(enter_gpu(*driver, index));
  Worker worker(*driver, index, fd);
  FrameReader reader(fd);
  while (reader.fill()) {
    while (const auto frame = reader.next()) {
      const auto request = decode<WorkerRequest>(*frame);
      if (!request) return request.error();
      if (!write_frame(fd, encode(worker.handle(*request)))) return {};
    }
  }
  return {};
}

}  // namespace ke::gpu

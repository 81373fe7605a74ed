// Operators of PyTorch whose kernels lie in libraries: what a call does around the kernel.
//
// compiled.py compiles this file, which serves all packages, against the PyTorch that loads it.
// PyTorch's stable ABI does not suffice: it cannot tell whether a tensor needs a derivative.
//
// A call at a known shape runs no Python. `_plan_NAME`, an operator in Python, makes the plan of a
// new shape, and raises the error for what does not fit. `_reference_NAME` computes with the task's
// reference: shapes that are not verified, and whatever needs a derivative.

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/AutogradState.h>
#include <c10/core/DeviceGuard.h>
#include <pthread.h>
#include <torch/library.h>

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "call_plans.hpp"
#include "tensors.hpp"

namespace operators {
namespace {

using torch::jit::Stack;

// --- what Python describes ---

struct Input {
  std::string name;
  at::ScalarType dtype;
  std::int64_t rank, align;
  bool changes;  ///< false: kernels may prepare it
  bool bounded;  ///< holds indices, which are checked before a call
};

struct Output {
  at::ScalarType dtype;
  std::int64_t rank, align;
};

/// Functions of the library.
struct Library {
  void* call;       ///< CpuCall or GpuCall
  void* prepare;    ///< CpuCall, or null
  void* workspace;  ///< WorkspaceBytes; null for processors
  bool serial;      ///< calls take turns, because kernels keep variables
};

using CpuCall = void (*)(void* const* tensors, const std::size_t* lengths);
using GpuCall = int (*)(void* const* tensors, const std::size_t* lengths, void* workspace,
                        void* stream);
using WorkspaceBytes = std::size_t (*)(const void* any, const std::size_t* lengths);

// --- an operator ---

class Operator {
 public:
  Operator(std::string package, std::string name, at::DeviceType device)
      : package(std::move(package)), name(std::move(name)), device_(device) {}

  std::string package, name;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::vector<std::string> axes;
  std::size_t lengths_given = 0;  ///< axes that are arguments of the operator
  Library library = {};

  void find_helpers() {
    auto& dispatcher = c10::Dispatcher::singleton();
    plan_.emplace(dispatcher.findSchemaOrThrow((package + "::_plan_" + name).c_str(), ""));
    reference_.emplace(
        dispatcher.findSchemaOrThrow((package + "::_reference_" + name).c_str(), ""));
  }

  /// Runs the kernel.
  void run(const c10::OperatorHandle& /*self*/, c10::DispatchKeySet /*keys*/, Stack& stack) {
    std::vector<void*> pointers(inputs.size() + outputs.size());
    const bool ready = take_inputs(stack, pointers.data());
    const at::Device on = tensor(stack, 0).device();
    const c10::OptionalDeviceGuard guard(on);  // does nothing on processors
    const std::shared_ptr<const Plan> plan = plan_of(stack);
    if (plan->outside) return call_reference(stack, false);
    std::vector<at::Tensor> made;
    made.reserve(outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      made.push_back(empty(plan->shapes[i], outputs[i].dtype, outputs[i].align, on));
      pointers[inputs.size() + i] = made.back().mutable_data_ptr();
    }
    if (!plan->empty && !compute(*plan, stack, ready, pointers)) {
      return call_reference(stack, false);
    }
    torch::jit::drop(stack, arity());
    for (at::Tensor& one : made) stack.emplace_back(std::move(one));
  }

  /// Lets the reference compute what needs a derivative.
  void differentiate(const c10::OperatorHandle& self, c10::DispatchKeySet keys, Stack& stack) {
    if (needs_derivative(stack)) return call_reference(stack, true);
    const at::AutoDispatchBelowADInplaceOrView below;
    self.redispatchBoxed(keys & c10::after_ADInplaceOrView_keyset, &stack);
  }

  /// Under autocast, floating inputs take the operator's types.
  void autocast(const c10::OperatorHandle& self, c10::DispatchKeySet /*keys*/, Stack& stack) {
    const c10::impl::ExcludeDispatchKeyGuard without(c10::autocast_dispatch_keyset);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const at::Tensor& given = tensor(stack, i);
      const bool casts = given.device().type() == device_ && given.is_floating_point() &&
                         given.scalar_type() != at::kDouble && c10::isFloatingType(inputs[i].dtype);
      if (casts && given.scalar_type() != inputs[i].dtype) {
        at::Tensor cast = given.to(inputs[i].dtype);
        argument(stack, i) = std::move(cast);
      }
    }
    self.callBoxed(&stack);
  }

  void forget_prepared() {
    const std::lock_guard hold(turn);
    prepared_ = {};
  }

  std::mutex turn;  ///< of calls of kernels that keep variables
  Plans plans;

 private:
  std::size_t arity() const { return inputs.size() + lengths_given; }
  c10::IValue& argument(Stack& stack, std::size_t i) const {
    return stack[stack.size() - arity() + i];
  }
  const at::Tensor& tensor(Stack& stack, std::size_t i) const {
    return argument(stack, i).toTensor();
  }

  /// Takes the addresses of the inputs. Returns true if all are dense and aligned.
  bool take_inputs(Stack& stack, void** pointers) {
    bool ready = true;
    const at::Device on = tensor(stack, 0).device();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const at::Tensor& given = tensor(stack, i);
      const bool fits = given.scalar_type() == inputs[i].dtype && given.device() == on &&
                        given.layout() == at::kStrided && given.dim() == inputs[i].rank;
      if (!fits) refuse(stack);
      pointers[i] = const_cast<void*>(given.const_data_ptr());
      ready = ready && given.is_contiguous() && is_aligned(pointers[i], inputs[i].align);
    }
    return ready;
  }

  /// Raises the error for inputs that do not fit.
  void refuse(Stack& stack) {
    ask_for_plan(stack);
    TORCH_CHECK(false, package, "::", name, ": these inputs do not fit");
  }

  std::vector<std::int64_t> ask_for_plan(Stack& stack) const {
    Stack asked(stack.end() - static_cast<std::ptrdiff_t>(arity()), stack.end());
    plan_->callBoxed(&asked);
    return asked.back().toIntVector();
  }

  std::shared_ptr<const Plan> plan_of(Stack& stack) {
    Shape shape{tensor(stack, 0).device().index()};
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const at::IntArrayRef sizes = tensor(stack, i).sizes();
      shape.append(sizes.begin(), sizes.end());
    }
    for (std::size_t i = inputs.size(); i < arity(); ++i)
      shape.push_back(argument(stack, i).toInt());
    if (auto known = plans.find(shape)) return known;
    auto made = std::make_shared<const Plan>(new_plan(stack));
    plans.keep(shape, made);
    return made;
  }

  Plan new_plan(Stack& stack) {
    const std::vector<std::int64_t> told = ask_for_plan(stack);
    auto next = told.begin();
    Plan plan;
    const bool verified = *next++ == 0;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      plan.lengths.push_back(static_cast<std::size_t>(*next++));
    }
    plan.empty = true;
    for (const Output& output : outputs) {
      plan.shapes.emplace_back(next, next + output.rank);
      next += output.rank;
      plan.empty = plan.empty && c10::multiply_integers(plan.shapes.back()) == 0;
    }
    plan.outside = !verified && !plan.empty;
    for (const Input& input : inputs) {
      if (!input.bounded) continue;
      plan.bounds.push_back({next[0], next[1]});
      next += 2;
    }
    if (library.workspace != nullptr && !plan.outside && !plan.empty) {
      plan.workspace = reinterpret_cast<WorkspaceBytes>(library.workspace)(
          tensor(stack, 0).const_data_ptr(), plan.lengths.data());
    }
    return plan;
  }

  /// False if the library has no kernel for this GPU.
  bool compute(const Plan& plan, Stack& stack, bool ready, std::vector<void*>& pointers) {
    std::vector<at::Tensor> copies;  // hold the memory until the kernel ends or is in the stream
    std::unique_lock take_turn(turn, std::defer_lock);
    if (library.serial) take_turn.lock();
    if (library.prepare != nullptr) copies = prepared_inputs(plan, stack);
    if (library.prepare == nullptr && (!ready || !plan.bounds.empty())) {
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        copies.push_back(dense(tensor(stack, i), inputs[i].align));
      }
    }
    for (std::size_t i = 0; i < copies.size(); ++i) {
      pointers[i] = const_cast<void*>(copies[i].const_data_ptr());
    }
    if (device_ != at::kCUDA) {
      check_values(plan, copies);
      reinterpret_cast<CpuCall>(library.call)(pointers.data(), plan.lengths.data());
      return true;
    }
    return launch(plan, tensor(stack, 0).device(), pointers);
  }

  /// Prepares the library if it is not prepared for these inputs. Returns dense inputs.
  std::vector<at::Tensor> prepared_inputs(const Plan& plan, Stack& stack) {
    std::vector<at::Tensor> unchanging;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i].changes) unchanging.push_back(tensor(stack, i));
    }
    if (!prepared_.holds(plan.lengths, unchanging)) prepare(plan, unchanging);
    std::vector<at::Tensor> all;
    auto next = prepared_.copies.begin();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      all.push_back(inputs[i].changes ? dense(tensor(stack, i), inputs[i].align) : *next++);
    }
    return all;
  }

  void prepare(const Plan& plan, const std::vector<at::Tensor>& unchanging) {
    prepared_ = {};
    std::vector<at::Tensor> copies;
    std::vector<void*> pointers;
    for (const Input& input : inputs) {
      if (input.changes) continue;
      copies.push_back(dense(unchanging[copies.size()], input.align));
      pointers.push_back(const_cast<void*>(copies.back().const_data_ptr()));
    }
    reinterpret_cast<CpuCall>(library.prepare)(pointers.data(), plan.lengths.data());
    prepared_.keep(plan.lengths, unchanging, std::move(copies));
  }

  /// Checks indices: those outside of a table would read foreign memory.
  void check_values(const Plan& plan, const std::vector<at::Tensor>& all) const {
    auto bounds = plan.bounds.begin();
    for (std::size_t i = 0; i < inputs.size() && bounds != plan.bounds.end(); ++i) {
      if (!inputs[i].bounded) continue;
      const auto [low, end] = *bounds++;
      if (all[i].numel() == 0) continue;
      const auto [least, most] = extremes_of(all[i]);
      TORCH_CHECK_INDEX(least >= low && most < end, package, "::", name, ": '", inputs[i].name,
                        "' holds values from ", least, " to ", most, ", expected values in [", low,
                        ", ", end, ")");
    }
  }

  bool launch(const Plan& plan, at::Device on, const std::vector<void*>& pointers) const {
    // PyTorch reuses this memory only after the kernel on this stream.
    at::Tensor workspace;
    if (plan.workspace > 0) {
      workspace = empty({static_cast<std::int64_t>(plan.workspace)}, at::kByte, 1, on);
    }
    const int status = reinterpret_cast<GpuCall>(library.call)(
        pointers.data(), plan.lengths.data(),
        plan.workspace > 0 ? workspace.mutable_data_ptr() : nullptr, current_stream(on.index()));
    constexpr int no_binary_for_gpu = 209;
    if (status == no_binary_for_gpu) return false;
    TORCH_CHECK(status == 0, package, "::", name, ": the launch failed with CUresult ", status,
                " at ", lengths_text(plan));
    return true;
  }

  std::string lengths_text(const Plan& plan) const {
    std::string text;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      text += (i > 0 ? ", " : "") + axes[i] + "=" + std::to_string(plan.lengths[i]);
    }
    return text;
  }

  bool needs_derivative(Stack& stack) const {
    const auto& state = c10::AutogradState::get_tls_state();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const at::Tensor& given = tensor(stack, i);
      if (state.get_grad_mode() && given.requires_grad()) return true;
      if (state.get_fw_grad_mode() && given._fw_grad(/*level=*/0).defined()) return true;
    }
    return false;
  }

  void call_reference(Stack& stack, bool differentiable) const {
    stack.emplace_back(differentiable);
    reference_->callBoxed(&stack);
  }

  at::DeviceType device_;
  std::optional<c10::OperatorHandle> plan_, reference_;
  Prepared prepared_;  ///< guarded by `turn`
};

// --- registration ---

/// Where PyTorch finds an operator. A package that is imported again puts its operator in the place
/// of the earlier one; calls may still run in that one, which is therefore kept.
struct Place {
  std::atomic<Operator*> now{nullptr};
  std::vector<torch::Library> registered;
};

using Method = void (Operator::*)(const c10::OperatorHandle&, c10::DispatchKeySet, Stack&);

class Kernel final : public c10::OperatorKernel {
 public:
  Kernel(const Place& place, Method method) : place_(place), method_(method) {}
  void operator()(const c10::OperatorHandle& self, c10::DispatchKeySet keys, Stack* stack) {
    (place_.now.load(std::memory_order_acquire)->*method_)(self, keys, *stack);
  }

 private:
  const Place& place_;
  Method method_;
};

void add_kernel(Place& place, const Operator& one, c10::DispatchKey key, Method method) {
  place.registered.emplace_back(torch::Library::IMPL, one.package, key, __FILE__, __LINE__);
  place.registered.back().impl(one.name.c_str(), torch::CppFunction::makeFromBoxedFunctor(
                                                     std::make_unique<Kernel>(place, method)));
}

/// Operators of this process. Never destroyed: threads may call while the program ends.
struct Registry {
  std::mutex lock;
  std::map<std::string, Place> places;
  std::vector<Operator*> all;
};

Registry& registry() {
  static auto& made = *new Registry;
  return made;
}

/// A forked process must not inherit a lock that another thread holds.
void hold_locks() {
  registry().lock.lock();
  for (Operator* one : registry().all) {
    one->turn.lock();
    one->plans.lock.lock();
  }
}

void release_locks() {
  for (Operator* one : registry().all) {
    one->plans.lock.unlock();
    one->turn.unlock();
  }
  registry().lock.unlock();
}

void register_operator(Operator* one, bool cuda) {
  one->find_helpers();
  const std::lock_guard hold(registry().lock);
  static const int handled = pthread_atfork(&hold_locks, &release_locks, &release_locks);
  (void)handled;
  registry().all.push_back(one);
  Place& place = registry().places[one->package + "::" + one->name];
  const bool known = place.now.exchange(one, std::memory_order_acq_rel) != nullptr;
  if (known) return;
  using Key = c10::DispatchKey;
  add_kernel(place, *one, cuda ? Key::CUDA : Key::CPU, &Operator::run);
  add_kernel(place, *one, Key::Autograd, &Operator::differentiate);
  add_kernel(place, *one, cuda ? Key::AutocastCUDA : Key::AutocastCPU, &Operator::autocast);
}

at::ScalarType scalar_type(const std::string& dtype) {
  static const std::map<std::string, at::ScalarType> types = {{"float64", at::kDouble},
                                                              {"float32", at::kFloat},
                                                              {"float16", at::kHalf},
                                                              {"int64", at::kLong},
                                                              {"int32", at::kInt},
                                                              {"int16", at::kShort},
                                                              {"int8", at::kChar},
                                                              {"uint8", at::kByte},
                                                              {"bool", at::kBool},
                                                              {"bfloat16", at::kBFloat16},
                                                              {"float8_e4m3fn", at::kFloat8_e4m3fn},
                                                              {"float8_e5m2", at::kFloat8_e5m2}};
  return types.at(dtype);
}

}  // namespace
}  // namespace operators

using operators::Operator;

// Called by kernel_operator.py, through ctypes.
extern "C" {

Operator* operator_new(const char* package, const char* name, bool cuda) {
  return new Operator(package, name, cuda ? at::kCUDA : at::kCPU);
}

void operator_add_input(Operator* to, const char* name, const char* dtype, std::int64_t rank,
                        std::int64_t align, bool changes, bool bounded) {
  to->inputs.push_back({name, operators::scalar_type(dtype), rank, align, changes, bounded});
}

void operator_add_output(Operator* to, const char* dtype, std::int64_t rank, std::int64_t align) {
  to->outputs.push_back({operators::scalar_type(dtype), rank, align});
}

void operator_add_axis(Operator* to, const char* name, bool given) {
  to->axes.emplace_back(name);
  to->lengths_given += given ? 1 : 0;
}

void operator_set_library(Operator* of, void* call, void* prepare, void* workspace, bool serial) {
  of->library = {call, prepare, workspace, serial};
}

/// Returns the error's text, or null.
const char* operator_register(Operator* one, bool cuda) {
  thread_local std::string message;
  try {
    operators::register_operator(one, cuda);
    return nullptr;
  } catch (const std::exception& error) {
    message = error.what();
    return message.c_str();
  }
}

void operator_forget_prepared(Operator* one) { one->forget_prepared(); }

/// Calls a processor's kernel alone, for a measurement.
void operator_repeat(const Operator* one, void* const* tensors, const std::size_t* lengths,
                     std::size_t times) {
  const auto call = reinterpret_cast<operators::CpuCall>(one->library.call);
  for (std::size_t i = 0; i < times; ++i) call(tensors, lengths);
}

}  // extern "C"

#pragma once
// Memory of tensors, values of indices, inputs that a library prepared. Part of operator.cpp.

#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Allocator.h>
#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace operators {

inline bool is_aligned(const void* at, std::int64_t align) {
  return reinterpret_cast<std::uintptr_t>(at) % static_cast<std::uintptr_t>(align) == 0;
}

/// An uninitialised tensor that begins at a multiple of `align` bytes.
inline at::Tensor empty(at::IntArrayRef shape, at::ScalarType dtype, std::int64_t align,
                        at::Device on) {
  const auto allocated = [&](at::IntArrayRef sizes, at::ScalarType type) {
    if (on.is_cpu()) return at::Tensor(at::detail::empty_cpu(sizes, type));
    const c10::DispatchKeySet key(c10::DispatchKey::CUDA);
    return at::Tensor(
        at::detail::empty_generic(sizes, c10::GetAllocator(on.type()), key, type, std::nullopt));
  };
  at::Tensor made = allocated(shape, dtype);
  if (is_aligned(made.const_data_ptr(), align)) return made;
  const auto bytes = static_cast<std::int64_t>(made.nbytes());
  const at::Tensor memory = allocated({bytes + align}, at::kByte);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.const_data_ptr());
  const std::int64_t skipped = (align - static_cast<std::int64_t>(begin % align)) % align;
  return memory.narrow(0, skipped, bytes).view(dtype).view(shape);
}

/// The tensor if it is dense and aligned, else a copy that is.
inline at::Tensor dense(const at::Tensor& tensor, std::int64_t align) {
  if (tensor.is_contiguous() && is_aligned(tensor.const_data_ptr(), align)) return tensor;
  return empty(tensor.sizes(), tensor.scalar_type(), align, tensor.device()).copy_(tensor);
}

/// A number that no other thread has, also later.
inline std::uint64_t this_thread() {
  static std::atomic<std::uint64_t> last{0};
  thread_local const std::uint64_t mine = ++last;
  return mine;
}

/// Inputs that the library prepared, and the thread whose variables it filled.
class Prepared {
 public:
  /// True if the library is prepared for these inputs. Inference tensors count no writes.
  bool holds(const std::vector<std::size_t>& lengths, const std::vector<at::Tensor>& given) const {
    if (given_.empty() || thread_ != this_thread() || lengths_ != lengths) return false;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const Known& known = given_[i];
      if (given[i].is_inference() || !given[i].is_same(known.tensor) ||
          given[i]._version() != known.version || given[i].const_data_ptr() != known.data ||
          given[i].strides() != known.strides) {
        return false;
      }
    }
    return true;
  }
  void keep(const std::vector<std::size_t>& lengths, const std::vector<at::Tensor>& given,
            std::vector<at::Tensor> made) {
    copies = std::move(made);
    for (const at::Tensor& one : given) {
      if (one.is_inference()) return;
    }
    lengths_ = lengths;
    thread_ = this_thread();
    for (const at::Tensor& one : given) {
      given_.push_back({one, static_cast<std::int64_t>(one._version()), one.const_data_ptr(),
                        one.strides().vec()});
    }
  }

  std::vector<at::Tensor> copies;  ///< dense and aligned; the kernel may keep pointers into them

 private:
  struct Known {
    at::Tensor tensor;
    std::int64_t version;
    const void* data;
    std::vector<std::int64_t> strides;
  };
  std::vector<Known> given_;
  std::vector<std::size_t> lengths_;
  std::uint64_t thread_ = 0;
};

template <typename Integer>
std::array<std::int64_t, 2> extremes(const at::Tensor& tensor) {
  const auto* const values = static_cast<const Integer*>(tensor.const_data_ptr());
  Integer least = values[0], most = values[0];
  for (std::int64_t i = 1; i < tensor.numel(); ++i) {
    least = values[i] < least ? values[i] : least;
    most = values[i] > most ? values[i] : most;
  }
  return {static_cast<std::int64_t>(least), static_cast<std::int64_t>(most)};
}

/// Least and largest value of a dense tensor of integers that is not empty.
inline std::array<std::int64_t, 2> extremes_of(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kLong: return extremes<std::int64_t>(tensor);
    case at::kInt: return extremes<std::int32_t>(tensor);
    case at::kShort: return extremes<std::int16_t>(tensor);
    case at::kChar: return extremes<std::int8_t>(tensor);
    default: return extremes<std::uint8_t>(tensor);
  }
}

/// PyTorch's current stream on a GPU, by a function of its C interface, which needs no CUDA header.
inline void* current_stream(at::DeviceIndex device) {
  using Get = std::int32_t (*)(std::int32_t, void**);
  static const auto get = [] {
    void* const library = dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_NOLOAD);
    return reinterpret_cast<Get>(
        library == nullptr ? nullptr : dlsym(library, "aoti_torch_get_current_cuda_stream"));
  }();
  void* stream = nullptr;
  TORCH_CHECK(get != nullptr && get(device, &stream) == 0,
              "this PyTorch does not tell its current CUDA stream");
  return stream;
}

}  // namespace operators

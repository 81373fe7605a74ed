#pragma once
// Chooses the kernel for a GPU and a shape, and loads its modules. Part of every exported
// dispatcher for GPUs.

#include <algorithm>
#include <cstring>
#include <memory>

#include "launch.hpp"
#include "nearest_shape.hpp"

namespace dispatch {

/// A kernel of the library. The first variant is the anchor.
struct GpuVariant {
  const char* name;
  std::vector<VariantCode> codes;
};

/// The library in one context: its GPU, the figures measured on such a GPU, and the modules.
struct LoadedLibrary {
  Context context = nullptr;
  Status status = success;  ///< status of loading
  GpuTerms terms = {};
  const Measured* measured = nullptr;
  std::vector<LoadedCode> variants;  ///< holds no code for variants that no shape calls here
};

template <std::size_t axes>
class GpuLibrary {
 public:
  GpuLibrary(std::vector<TensorSpec> tensors, std::vector<GpuVariant> variants,
             std::vector<Measured> measured)
      : tensors_(std::move(tensors)),
        variants_(std::move(variants)),
        measured_(std::move(measured)) {}

  /// Bytes of workspace that a call needs; 0 if the call would fail.
  std::size_t workspace(const std::size_t* lengths, const void* any) {
    Chosen& chosen = choose(lengths, any);
    if (chosen.status != success) return 0;
    return GpuRun(*chosen.code, chosen.library->terms, chosen.lengths, nullptr, nullptr, nullptr)
        .workspace_bytes();
  }

  Status call(const std::size_t* lengths, const void* const* tensors, void* workspace,
              Stream stream) {
    const bool aligned =
        is_aligned(workspace, GpuRun::workspace_align) && are_aligned(tensors_, tensors);
    if (!aligned) return invalid_value;
    Chosen& chosen = choose(lengths, tensors[0]);
    if (chosen.status != success) return chosen.status;
    return GpuRun(*chosen.code, chosen.library->terms, chosen.lengths, tensors, workspace, stream)
        .carry_out();
  }

  /// Name of the variant; "" if a call would fail.
  const char* name(const std::size_t* lengths, const void* any) {
    const Chosen& chosen = choose(lengths, any);
    return chosen.status == success ? variants_[chosen.variant].name : "";
  }

 private:
  struct Chosen {
    Status status = invalid_context;
    const LoadedLibrary* library = nullptr;
    LoadedCode* code = nullptr;
    std::size_t variant = 0;
    const GpuLibrary* by = nullptr;
    std::vector<std::size_t> lengths = {};
  };

  static Status current_context(Context& context, const void* any) {
    return the_driver() == nullptr ? Status{no_binary} : the_driver()->current(&context, any);
  }

  /// Remembers the last shape per thread, because most calls repeat it.
  Chosen& choose(const std::size_t* lengths, const void* any) {
    thread_local Chosen last;
    Context context = nullptr;
    if (const Status status = current_context(context, any)) {
      last = {};
      last.status = status;
      return last;
    }
    const bool same = last.by == this && last.status == success &&
                      last.library->context == context &&
                      std::equal(last.lengths.begin(), last.lengths.end(), lengths);
    if (same) return last;
    LoadedLibrary& library = loaded(context);
    last = {};
    last.status = library.status;
    if (library.status != success) return last;
    last.by = this;
    last.library = &library;
    last.lengths.assign(lengths, lengths + axes);
    const auto any_kernel = [](std::size_t) { return true; };
    last.variant = best_index(variants_.size(), *library.measured, lengths, axes, any_kernel);
    last.code = &library.variants[last.variant];
    last.status = no_binary;
    if (last.code->code == nullptr) return last;
    last.status =
        GpuRun(*last.code, library.terms, last.lengths, nullptr, nullptr, nullptr).carry_out();
    return last;
  }

  LoadedLibrary& loaded(Context context) {
    const std::lock_guard hold(lock_);
    for (const auto& one : loaded_) {
      if (one->context == context) return *one;
    }
    loaded_.push_back(std::make_unique<LoadedLibrary>());
    LoadedLibrary& made = *loaded_.back();
    made.context = context;
    // Loading does not enqueue work, so it may happen while a graph is being captured.
    constexpr int relaxed = 2;
    int mode = relaxed;
    the_driver()->capture_mode(&mode);
    made.status = load(made);
    the_driver()->capture_mode(&mode);
    return made;
  }

  Status load(LoadedLibrary& into) const {
    Gpu gpu = {};
    if (const Status status = the_driver()->describe(gpu)) return status;
    into.terms = gpu.terms;
    into.measured = measured_on(gpu);
    if (into.measured == nullptr) return no_binary;
    for (const GpuVariant& variant : variants_) {
      into.variants.emplace_back();
      if (const Status status = load(variant, gpu.arch, into.variants.back())) return status;
    }
    return success;
  }

  /// Returns the GPU of this name, else the first one with the same architecture, else the first
  /// one if there is machine code for the architecture.
  const Measured* measured_on(const Gpu& gpu) const {
    const Measured* found = nullptr;
    for (const Measured& one : measured_) {
      if (std::strcmp(one.extensions, gpu.arch) != 0) continue;
      if (std::strcmp(one.device, gpu.name) == 0) return &one;
      if (found == nullptr) found = &one;
    }
    const auto& codes = variants_.front().codes;
    const bool built = std::any_of(codes.begin(), codes.end(), [&](const VariantCode& one) {
      return std::strcmp(one.arch, gpu.arch) == 0;
    });
    return found == nullptr && built ? &measured_.front() : found;
  }

  static Status load(const GpuVariant& variant, const char* arch, LoadedCode& into) {
    const Driver& driver = *the_driver();
    const auto code =
        std::find_if(variant.codes.begin(), variant.codes.end(),
                     [&](const VariantCode& one) { return std::strcmp(one.arch, arch) == 0; });
    if (code == variant.codes.end()) return success;
    into.code = &*code;
    std::vector<Module> modules;
    for (const void* cubin : code->cubins) {
      modules.push_back(nullptr);
      if (const Status status = driver.module_load(&modules.back(), cubin)) return status;
    }
    for (const char* kernel : code->kernels) {
      Function function = nullptr;
      Status status = not_found;
      for (std::size_t i = 0; i < modules.size() && status == not_found; ++i) {
        status = driver.module_function(&function, modules[i], kernel);
      }
      if (status != success) return status;
      into.kernels.push_back({function, 0});
    }
    return success;
  }

  const std::vector<TensorSpec> tensors_;
  const std::vector<GpuVariant> variants_;
  const std::vector<Measured> measured_;
  std::mutex lock_;
  std::vector<std::unique_ptr<LoadedLibrary>> loaded_;  ///< one per context; never unloaded
};

}  // namespace dispatch

#pragma once
// Chooses the kernel for a GPU and a shape, and loads its modules. Part of every exported
// dispatcher for NVIDIA GPUs.

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "launch.hpp"
#include "nearest_shape.hpp"

namespace dispatch {

/// A kernel of the library. The first variant is the anchor.
struct GpuVariant {
  const char* name;
  std::vector<VariantCode> codes;
};

/// The best variant at each shape that was measured on one GPU.
struct MeasuredGpu {
  const char* name;  ///< as the driver reports it
  const char* arch;
  std::vector<std::size_t> shapes;  ///< (count, axes)
  std::vector<unsigned char> best;  ///< (count): index of a variant
  double reach;  ///< largest factor between an axis of a shape and that of the nearest measured one
};

/// The library in one context: its GPU, the figures measured on such a GPU, and the modules.
struct LoadedLibrary {
  Context context = nullptr;
  Status status = success;  ///< status of loading
  GpuTerms terms = {};
  const MeasuredGpu* measured = nullptr;
  std::vector<LoadedCode> variants;  ///< holds no code for variants that no shape calls here
};

class Library {
 public:
  Library(std::size_t axes, std::vector<GpuVariant> variants, std::vector<MeasuredGpu> measured)
      : axes_(axes), variants_(std::move(variants)), measured_(std::move(measured)) {}

  /// Bytes of workspace that a call needs; 0 if the call would fail.
  std::size_t workspace(const std::size_t* lengths, const void* any) {
    Chosen& chosen = choose(lengths, any);
    if (chosen.status != success) return 0;
    Run run(*chosen.code, chosen.library->terms, lengths, nullptr, nullptr, nullptr, true);
    return chosen.code->code->run(run) == success ? run.workspace_bytes() : 0;
  }

  Status call(const std::size_t* lengths, const void* const* tensors, void* workspace,
              Stream stream) {
    Chosen& chosen = choose(lengths, tensors[0]);
    if (chosen.status != success) return chosen.status;
    Run run(*chosen.code, chosen.library->terms, lengths, tensors, workspace, stream, false);
    return chosen.code->code->run(run);
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
    const Library* by = nullptr;
    std::vector<std::size_t> lengths = {};
  };

  /// Returns the context of this thread, or that of the memory if the thread has none yet.
  static Status current_context(Context& context, const void* any) {
    const Driver* const driver = the_driver();
    if (driver == nullptr) return no_binary;
    if (const Status status = driver->context_get(&context)) return status;
    if (context != nullptr) return success;
    constexpr int context_of_pointer = 1;
    const Status status =
        driver->pointer_attribute(&context, context_of_pointer, reinterpret_cast<Address>(any));
    return status == success ? driver->context_set(context) : invalid_context;
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
    last.lengths.assign(lengths, lengths + axes_);
    last.variant = variant_at(*library.measured, last.lengths);
    last.code = &library.variants[last.variant];
    if (last.code->code == nullptr) last.status = no_binary;
    return last;
  }

  std::size_t variant_at(const MeasuredGpu& measured, std::vector<std::size_t> lengths) const {
    for (std::size_t& length : lengths) length = length > 0 ? length : 1;
    const std::size_t count = measured.best.size();
    const std::size_t row = nearest_shape(measured.shapes.data(), count, lengths.data(), axes_);
    const bool known =
        is_known(measured.shapes.data(), count, row, lengths.data(), axes_, measured.reach);
    return known ? measured.best[row] : 0;
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
    const Driver& driver = *the_driver();
    int device = 0;
    if (const Status status = driver.device(&device)) return status;
    const auto read = [&](int attribute) {
      int value = 0;
      driver.device_attribute(&value, attribute, device);
      return value;
    };
    into.terms = {read(multiprocessors), read(l2_cache_bytes), read(max_shared_optin)};
    const int major = read(capability_major);
    const std::string arch = "sm_" + std::to_string(major) +
                             std::to_string(read(capability_minor)) + (major >= 9 ? "a" : "");
    char name[128] = {};
    if (const Status status = driver.device_name(name, sizeof name - 1, device)) return status;
    into.measured = measured_on(name, arch);
    if (into.measured == nullptr) return no_binary;
    for (const GpuVariant& variant : variants_) {
      into.variants.emplace_back();
      if (const Status status = load(variant, arch, into.variants.back())) return status;
    }
    return success;
  }

  /// Returns the GPU of this name, else the first one with the same architecture.
  const MeasuredGpu* measured_on(const char* name, const std::string& arch) const {
    for (const MeasuredGpu& one : measured_) {
      if (std::strcmp(one.name, name) == 0 && arch == one.arch) return &one;
    }
    for (const MeasuredGpu& one : measured_) {
      if (arch == one.arch) return &one;
    }
    return nullptr;
  }

  static Status load(const GpuVariant& variant, const std::string& arch, LoadedCode& into) {
    const Driver& driver = *the_driver();
    const auto code = std::find_if(variant.codes.begin(), variant.codes.end(),
                                   [&](const VariantCode& one) { return arch == one.arch; });
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

  const std::size_t axes_;
  const std::vector<GpuVariant> variants_;
  const std::vector<MeasuredGpu> measured_;
  std::mutex lock_;
  std::vector<std::unique_ptr<LoadedLibrary>> loaded_;  ///< one per context; never unloaded
};

}  // namespace dispatch

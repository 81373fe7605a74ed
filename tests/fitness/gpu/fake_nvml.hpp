#pragma once
// Controls the library of tests/support/fake_nvml.cpp.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>

#include "fitness/gpu/nvml.hpp"

namespace ke::gpu::test {

inline constexpr const char* fake_bus_id = "0000:01:00.0";

class FakeNvml {
 public:
  /// `name`: fake_nvml, or fake_nvml_old for a driver before 535.
  explicit FakeNvml(const std::string& name = "fake_nvml")
      : path_(std::string(KE_BINARY_DIR) + "/lib" + name + ".so"), nvml_(open_nvml(path_)) {
    void* library = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
    set_ = reinterpret_cast<Set*>(dlsym(library, "fake_nvml_set"));
  }

  const Nvml& nvml() const { return *nvml_; }
  /// Sets the reported figures; zero: not supported.
  void says(unsigned sm_mhz, unsigned memory_mhz, unsigned celsius, unsigned milliwatts,
            unsigned long long reasons = 0) const {
    set_(sm_mhz, memory_mhz, celsius, milliwatts, reasons);
  }

 private:
  using Set = void(unsigned, unsigned, unsigned, unsigned, unsigned long long);
  std::string path_;
  Result<Nvml> nvml_;
  Set* set_ = nullptr;
};

}  // namespace ke::gpu::test

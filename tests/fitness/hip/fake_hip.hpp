#pragma once
// Controls the library of tests/support/fake_hip.cpp.

#include <dlfcn.h>

#include <string>

#include "fitness/hip/hip_runtime.hpp"

namespace ke::test {

inline const std::string fake_hip_path = KE_BINARY_DIR "/libfake_hip.so";

/// HIP 6.4 with one GPU and no error; the destructor restores that state.
class FakeHip {
 public:
  static constexpr int version_6_4 = 60'443'484;

  FakeHip() {
    void* library = dlopen(fake_hip_path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) set_ = reinterpret_cast<Set*>(dlsym(library, "fake_hip_set"));
  }
  FakeHip(const FakeHip&) = delete;
  FakeHip& operator=(const FakeHip&) = delete;
  ~FakeHip() { says(version_6_4, 1, 0); }

  /// `run_status`: result of waiting for the device.
  void says(int version, int gpus, int run_status = 0) const { set_(version, gpus, run_status); }
  Result<std::shared_ptr<const gpu::Driver>> open() const { return hip::open_hip(fake_hip_path); }

 private:
  using Set = void(int, int, int);
  Set* set_ = nullptr;
};

}  // namespace ke::test

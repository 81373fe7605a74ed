#pragma once
// Stand-in for a driver's tensor map in emulated kernels: written by the test, read by the kernel.

#include <cstdint>

namespace emulated {

constexpr int most_dims = 5;

struct TensorMap {
  const unsigned char* base = nullptr;
  std::int64_t dims[most_dims] = {1, 1, 1, 1, 1};     // elements of two bytes
  std::int64_t strides[most_dims] = {2, 0, 0, 0, 0};  // bytes
  std::int64_t box[most_dims] = {1, 1, 1, 1, 1};
};

}  // namespace emulated

#pragma once
// The driver of the library's GPUs. Part of every exported dispatcher for GPUs.

#ifdef DISPATCH_HIP
#include "amd_driver.hpp"
#else
#include "nvidia_driver.hpp"
#endif

namespace dispatch {

/// The driver, opened once per process.
inline const Driver* the_driver() {
  static const Driver* const driver = open_driver();
  return driver;
}

}  // namespace dispatch

#pragma once
// What this processor is and which cores a thread may use.

#include <string>
#include <vector>

namespace ke {

/// Value of the first line `key : value` of Linux's /proc/cpuinfo whose key begins so; "" = none.
std::string cpuinfo(const std::string& key);
/// Model and widest vector extension, e.g. "Intel(R) Xeon(R) ... avx512f": no host name.
std::string cpu_class();
/// Extensions that jobs may need: "cpu" and flags of the processor such as avx2, avx512f.
std::vector<std::string> cpu_capabilities();
/// Processors that this process may use, in order.
std::vector<int> usable_cores();
/// Binds the calling thread, and what it starts, to some processors. Refusals are ignored.
void bind_thread(const std::vector<int>& cores);

/// Puts the calling thread, and what it starts, before other work of the machine where that is
/// allowed, so that spans are seldom interrupted. Refusals are ignored.
void prefer_thread();

}  // namespace ke

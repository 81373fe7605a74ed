#pragma once
// Describes this CPU, and selects cores and priority of threads.

#include <string>
#include <vector>

namespace ke {

/// Value of the first line `key : value` of /proc/cpuinfo whose key starts with `key`; "" = none.
std::string cpuinfo(const std::string& key);
/// Model and widest vector extension, e.g. "Intel(R) Xeon(R) ... avx512f". Contains no host name.
std::string cpu_class();
/// Capabilities that jobs may need: "cpu", and flags of the processor such as avx2, avx512f.
std::vector<std::string> cpu_capabilities();
/// Processors that this process may use, in order.
std::vector<int> usable_cores();
/// Binds the calling thread and its later children to some processors. Ignores refusals.
void bind_thread(const std::vector<int>& cores);

/// Gives the calling thread and its later children priority over other work where allowed, so that
/// timed spans are seldom interrupted. Ignores refusals.
void prefer_thread();

}  // namespace ke

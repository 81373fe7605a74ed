#include "fitness/host/host.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace ke {
namespace {

constexpr const char* extension_names[] = {"sse4_2",  "avx",         "avx2",    "fma",
                                           "avx512f", "avx512_fp16", "amx_tile"};

}  // namespace

std::string cpuinfo(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || line.compare(0, key.size(), key) != 0) continue;
    return colon + 2 <= line.size() ? line.substr(colon + 2) : "";
  }
  return "";
}

std::vector<std::string> cpu_capabilities() {
  std::vector<std::string> list{"cpu"};
  std::istringstream flags(cpuinfo("flags"));
  for (std::string flag; flags >> flag;) {
    for (const char* known : extension_names) {
      if (flag == known) list.push_back(flag);
    }
  }
  return list;
}

std::string cpu_class() {
  std::string text = cpuinfo("model name");
  if (text.empty()) text = "unknown processor";
  for (const std::string& extension : cpu_capabilities()) {
    if (extension != "cpu") text += " " + extension;
  }
  return text;
}

std::vector<int> usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

void prefer_thread() {
  // Round-robin, so that two evaluators on one core cannot starve each other.
  const sched_param lowest{.sched_priority = 1};
  if (sched_setscheduler(0, SCHED_RR, &lowest) == 0) return;
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), -20);
}

void bind_thread(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  if (!cores.empty()) sched_setaffinity(0, sizeof set, &set);
}

}  // namespace ke

#include "experiments/run/host.hpp"

#include <sys/utsname.h>

#include <chrono>
#include <fstream>

#include "core/hash.hpp"
#include "core/text.hpp"
#include "experiments/run/atomic_file.hpp"
#include "experiments/run/places.hpp"

namespace ke {
namespace {

/// Cached, because a sweep begins a thousand sessions and the file is large.
const std::string& own_binary_hash() {
  static const std::string hash = sha256(content_of(program_file()).value_or("")).hex();
  return hash;
}

}  // namespace

std::int64_t now_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::string cpu_info(std::string_view key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    if (trim(std::string_view(line).substr(0, colon)) == key) {
      return std::string(trim(std::string_view(line).substr(colon + 1)));
    }
  }
  return {};
}

SessionInfo describe_host(std::string sandbox_level) {
  // Cached, because the system generates /proc/cpuinfo for each reader.
  static const std::string hardware = cpu_info("model name");
  static const std::string microcode = cpu_info("microcode");
  utsname names{};
  uname(&names);
  SessionInfo info;
  info.host = names.nodename;
  info.hardware = hardware;
  info.microcode = microcode;
  info.kernel = std::string(names.sysname) + " " + names.release;
  info.binary_hash = own_binary_hash();
  info.sandbox_level = std::move(sandbox_level);
  info.started_ms = now_ms();
  return info;
}

}  // namespace ke

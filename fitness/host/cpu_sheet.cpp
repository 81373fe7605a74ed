#include "fitness/host/cpu_sheet.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "core/text.hpp"
#include "fitness/host/bandwidth.hpp"
#include "fitness/host/host.hpp"
#include "fitness/memory_floor.hpp"

namespace ke {
namespace {

constexpr std::string_view sheet_extensions[] = {
    "sse4_2",      "avx",      "avx2",     "fma",      "f16c",        "bmi2",        "avx_vnni",
    "avx512f",     "avx512dq", "avx512bw", "avx512vl", "avx512_vnni", "avx512_bf16", "avx512_fp16",
    "avx512_vbmi", "amx_tile", "amx_bf16", "amx_int8", "neon",        "asimd",       "sve"};

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return std::string(trim(line));
}

std::string extensions() {
  std::istringstream flags(cpuinfo("flags"));
  std::string text;
  for (std::string flag; flags >> flag;) {
    if (holds(sheet_extensions, flag)) text += " " + flag;
  }
  return text.empty() ? " none known" : text;
}

std::size_t processors_in(const std::string& list) {
  std::size_t count = 0;
  for (const std::string_view part : split(list, ',')) {
    const std::size_t dash = part.find('-');
    if (dash == part.npos) {
      ++count;
      continue;
    }
    const int first = std::atoi(std::string(part.substr(0, dash)).c_str());
    const int last = std::atoi(std::string(part.substr(dash + 1)).c_str());
    count += static_cast<std::size_t>(std::max(last - first + 1, 1));
  }
  return count;
}

/// Formats e.g. "2048K" as "2 MiB".
std::string cache_size(const std::string& text) {
  const long kib = std::atol(text.c_str());
  return kib >= 1024 && kib % 1024 == 0 ? fmt::format("{} MiB", kib / 1024)
                                        : fmt::format("{} KiB", kib);
}

std::string rate_line(Bandwidth& bandwidth, std::size_t bytes) {
  return fmt::format("{:.1f} GB/s within {} KiB", bandwidth.bytes_per_ns(bytes), bytes >> 10);
}

std::string measured_lines(Bandwidth& bandwidth, const std::optional<PeakRate>& peak) {
  std::string text = "Memory rates measured on one core, bytes read plus written: ";
  // Sizes for the first, second and third cache level of most processors, then one beyond them.
  for (const int log : {14, 18, 22}) text += rate_line(bandwidth, std::size_t{1} << log) + ", ";
  text += fmt::format("{:.1f} GB/s within 64 MiB\n", bandwidth.bytes_per_ns(std::size_t{1} << 26));
  if (peak) {
    text += fmt::format(
        "Peak measured on one core: {:.1f} GFLOP/s of float32 multiply-adds in "
        "registers ({})\n",
        peak->flops_per_s / 1e9, peak->instructions);
  }
  return text;
}

/// Operations per ns of the task's threads in its widest type; 0 = unknown, as for 16-bit floats,
/// whose instructions differ between processors.
double flops_per_ns(const Task& task, const std::optional<PeakRate>& peak) {
  const Dtype dtype = widest_input(task);
  if (!peak || (dtype != Dtype::float32 && dtype != Dtype::float64)) return 0;
  const double one_thread = peak->flops_per_s / 1e9;
  return one_thread * static_cast<double>(task.threads) / (dtype == Dtype::float64 ? 2 : 1);
}

std::string cpu_text(const Task& task, Bandwidth& bandwidth, const std::optional<PeakRate>& peak,
                     bool cold) {
  const std::string model = cpuinfo("model name");
  std::string text = fmt::format("Processor: {}\n", model.empty() ? "of an unknown model" : model);
  text += fmt::format("Extensions:{}\n", extensions());
  const std::string caches = cache_line("/sys/devices/system/cpu/cpu0/cache");
  if (!caches.empty()) text += caches + "\n";
  text += task.threads == 1
              ? "Cores: kernels run on one core, in one thread\n"
              : fmt::format("Cores: kernels run in {} threads; this process may use {}\n",
                            task.threads, usable_cores().size());
  text += cold ? "Before each timed call all caches are emptied of the tensors\n"
               : "Before each timed call the tensors are written anew: what fits into the "
                 "last-level cache lies there\n";
  return text + measured_lines(bandwidth, peak);
}

}  // namespace

std::string cache_line(const std::string& folder) {
  std::string text, line_bytes;
  for (int index = 0; index < 8; ++index) {
    const std::string one = fmt::format("{}/index{}/", folder, index);
    const std::string type = first_line(one + "type"), size = first_line(one + "size");
    if (size.empty() || type == "Instruction") continue;
    line_bytes = first_line(one + "coherency_line_size");
    text += fmt::format("{}L{} {}{}", text.empty() ? "Caches: " : ", ", first_line(one + "level"),
                        type == "Data" ? "data " : "", cache_size(size));
    const std::size_t sharers = processors_in(first_line(one + "shared_cpu_list"));
    if (sharers > 1) text += fmt::format(" shared by {} processors", sharers);
  }
  return text.empty() || line_bytes.empty() ? text : text + "; lines of " + line_bytes + " bytes";
}

DeviceSheet cpu_sheet(const Task& task, int core, bool cold) {
  DeviceSheet sheet;
  std::thread measuring([&] {
    bind_thread({core});
    Bandwidth bandwidth;
    const auto peak = measure_peak_rate();
    sheet.text = cpu_text(task, bandwidth, peak, cold);
    const auto memory = [&](std::int64_t bytes) {
      return bandwidth.bytes_per_ns(static_cast<std::size_t>(bytes));
    };
    sheet.floors_ns = floors_ns(task, memory, flops_per_ns(task, peak));
  });
  measuring.join();
  return sheet;
}

}  // namespace ke

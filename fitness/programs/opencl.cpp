// kernelevolve-opencl probe CACHE | compile CACHE: works in the current folder, in the sandbox.
//
// probe prints one line per fact of the device. compile reads kernel.cl, options and launches
// (wire::Launch, in memory layout) and writes kernel.bin on success, and always log.

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "fitness/opencl/runner.hpp"

namespace ke::opencl {
namespace {

std::string read_file(const char* name) {
  std::ifstream file(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool write_file(const char* name, const std::string& bytes) {
  std::ofstream file(name, std::ios::binary);
  file << bytes;
  return static_cast<bool>(file.flush());
}

int say(const Error& error, int code) {
  std::puts(error.message.c_str());
  return code;
}

int probe(const std::string& cache) {
  const auto runner = Runner::open(cache);
  if (!runner) return say(runner.error(), exit_device);
  const DeviceFacts facts = runner->facts();
  const auto number = [](std::uint64_t value) {
    std::printf("%llu\n", static_cast<unsigned long long>(value));
  };
  std::printf("%s\n%s\n", facts.name.c_str(), facts.driver.c_str());
  number(facts.max_group);
  for (const std::uint64_t items : facts.max_items) number(items);
  number(facts.local_bytes);
  return exit_ok;
}

int compile(const std::string& cache) {
  auto runner = Runner::open(cache);
  if (!runner) return say(runner.error(), exit_device);
  std::string log;
  const auto built = runner->build(read_file("kernel.cl"), read_file("options"), log);
  if (!built) return say(built.error(), exit_device);
  if (!write_file("log", log)) return exit_device;
  if (!*built) return exit_diagnostics;
  const std::string list = read_file("launches");
  for (std::size_t at = 0; at + sizeof(wire::Launch) <= list.size(); at += sizeof(wire::Launch)) {
    wire::Launch launch;
    std::memcpy(&launch, list.data() + at, sizeof launch);
    if (const auto made = runner->prepare(launch); !made) return say(made.error(), exit_plan);
  }
  const auto binary = runner->binary();
  if (!binary) return say(binary.error(), exit_device);
  return write_file("kernel.bin", *binary) ? exit_ok : exit_device;
}

int run(int argc, char** argv) {
  if (argc != 3) return exit_device;
  return std::string_view(argv[1]) == "probe" ? probe(argv[2]) : compile(argv[2]);
}

}  // namespace
}  // namespace ke::opencl

int main(int argc, char** argv) {
  const int code = ke::opencl::run(argc, argv);
  std::fflush(nullptr);
  std::_Exit(code);  // skips destructors: prepared launches wait forever and cannot be released
}

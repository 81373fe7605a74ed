// Fuzzes object files, disassemblies and compiler messages: the judge's readers of a hostile binary
// return an answer or an error.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "fitness/descriptors/descriptors.hpp"
#include "fitness/descriptors/elf.hpp"
#include "fitness/host/build/diagnostics.hpp"
#include "fitness/host/build/object_check.hpp"

namespace ke {
namespace {

constexpr std::string_view sample_disassembly =
    "0000000000001100 <kernel>:\n"
    "    1100:\ttest   rdx,rdx\n"
    "    1103:\tje     1120 <kernel+0x20>\n"
    "    1108:\tvmovss xmm0,DWORD PTR [rdi+rax*4]\n"
    "    110d:\tvaddss xmm0,xmm0,xmm0\n"
    "    1111:\tvmovss DWORD PTR [rsi+rax*4],xmm0\n"
    "    1116:\tinc    rax\n"
    "    1119:\tcmp    rdx,rax\n"
    "    111c:\tjne    1108 <kernel+0x8>\n"
    "    1120:\tret\n";

/// A kernel binary from the compiler.
const std::string& sound_binary() {
  static const std::string bytes = [] {
    std::ifstream file(KE_FUZZ_LIBRARY, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  if (bytes.empty()) std::abort();
  return bytes;
}

void look_at(std::string_view data) {
  (void)read_elf(data);
  (void)check_object(data);
  (void)check_object(data, {.instrumented = true});
  (void)needed_libraries(data);
  (void)build_hash(data);
  (void)describe_disassembly(sample_disassembly, data);
  (void)describe_disassembly(data, sound_binary());
  (void)parse_diagnostics(data, "kernel.cpp");
  (void)parse_loop_notes(data, "kernel.cpp");
}

}  // namespace
}  // namespace ke

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ke::look_at({reinterpret_cast<const char*>(data), size});
  return 0;
}

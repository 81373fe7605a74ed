// Loops and what memory they read, of code as compilers lay it out. Written by hand.

#include "fitness/descriptors/code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.hpp"
#include "fitness/descriptors/scratch_use.hpp"

namespace ke {
namespace {

using testing::UnorderedElementsAre;

/// Functions as objdump prints them, one instruction each 16 bytes: "<kernel>" begins one at the
/// next multiple of 0x1000, from 0x1000 on.
std::vector<Function> code_of(std::string_view lines) {
  std::string text;
  std::uint64_t start = 0, address = 0;
  for (const std::string_view raw : split(lines, '\n')) {
    const std::string_view line = trim(raw);
    if (line.empty()) continue;
    char place[32];
    if (line.starts_with('<')) {
      address = start += 0x1000;
      std::snprintf(place, sizeof place, "%016llx ", static_cast<unsigned long long>(start));
      text += place + std::string(line) + ":\n";
      continue;
    }
    std::snprintf(place, sizeof place, "    %llx:\t", static_cast<unsigned long long>(address));
    text += place + std::string(line) + "\n";
    address += 0x10;
  }
  return reached_functions(parse_functions(text, address), "kernel", {});
}

/// (address of the header, enclosing loops of the function) of each loop of the first function.
std::vector<std::pair<std::uint64_t, int>> nest(const std::vector<Function>& functions) {
  std::vector<std::pair<std::uint64_t, int>> loops;
  for (const Loop& loop : functions.at(0).loops) {
    loops.emplace_back(functions[0].code[loop.header].address, loop.depth);
  }
  return loops;
}

TEST(Loops, a_nest_whose_tests_stand_at_the_end) {
  EXPECT_THAT(nest(code_of("<kernel>\n"
                           "xor    eax,eax\n"
                           "xor    ecx,ecx\n"  // 1010
                           "addss  xmm0,DWORD PTR [rdi+rcx*4]\n"
                           "add    rcx,0x1\n"
                           "cmp    rcx,rdx\n"
                           "jne    1020\n"
                           "add    rax,0x1\n"
                           "cmp    rax,rsi\n"
                           "jne    1010\n"
                           "ret\n")),
              UnorderedElementsAre(std::pair(0x1010, 0), std::pair(0x1020, 1)));
}

// The outer loop goes on at the header of the inner one, and its start jumps behind it.
TEST(Loops, two_loops_with_one_header_that_are_entered_in_their_midst) {
  EXPECT_THAT(nest(code_of("<kernel>\n"
                           "test   rdx,rdx\n"
                           "je     1060\n"
                           "addss  xmm0,DWORD PTR [rdi+rcx*4]\n"  // 1020
                           "add    rcx,0x1\n"
                           "cmp    rcx,rdx\n"
                           "jne    1020\n"
                           "add    rax,0x1\n"  // 1060
                           "xor    ecx,ecx\n"
                           "cmp    rax,rsi\n"
                           "jne    1020\n"
                           "ret\n")),
              UnorderedElementsAre(std::pair(0x1020, 0), std::pair(0x1020, 1)));
}

// Clang puts what ends an iteration in front of what begins it.
TEST(Loops, an_iteration_that_goes_on_without_a_jump_back_to_the_header) {
  EXPECT_THAT(nest(code_of("<kernel>\n"
                           "jmp    1040\n"
                           "add    rax,0x1\n"  // 1010
                           "cmp    rax,rsi\n"
                           "je     10a0\n"
                           "xor    ecx,ecx\n"  // 1040: header
                           "addss  xmm0,DWORD PTR [rdi+rcx*4]\n"
                           "add    rcx,0x1\n"
                           "cmp    rcx,rdx\n"
                           "jne    1050\n"
                           "jmp    1010\n"
                           "ret\n")),
              UnorderedElementsAre(std::pair(0x1040, 0), std::pair(0x1050, 1)));
}

// A loop whose body has a fast version, which goes on by itself, is one loop.
TEST(Loops, versions_of_a_body_are_no_nest) {
  EXPECT_THAT(nest(code_of("<kernel>\n"
                           "mov    rcx,QWORD PTR [rdi]\n"  // 1000
                           "test   rcx,rcx\n"
                           "jne    1070\n"
                           "add    rdi,0x8\n"  // 1030
                           "cmp    rdi,rsi\n"
                           "jne    1000\n"
                           "ret\n"
                           "cmp    rcx,0x10\n"  // 1070: the other version
                           "ja     1030\n"
                           "add    rdi,0x8\n"
                           "cmp    rdi,rsi\n"
                           "je     1060\n"
                           "mov    rcx,QWORD PTR [rdi]\n"
                           "jmp    1070\n")),
              UnorderedElementsAre(std::pair(0x1000, 0)));
}

TEST(Loops, jumps_back_from_code_that_was_moved_away_close_none) {
  EXPECT_THAT(nest(code_of("<kernel>\n"
                           "test   rdi,rdi\n"
                           "je     1040\n"
                           "mov    eax,0x1\n"  // 1020
                           "ret\n"
                           "mov    edi,0x2\n"  // 1040
                           "jmp    1020\n")),
              testing::IsEmpty());
}

TEST(Loops, those_of_callers_lie_around_a_function) {
  const auto functions = code_of(
      "<kernel>\n"
      "call   2000\n"  // 1000
      "sub    rdi,0x1\n"
      "jne    1000\n"
      "ret\n"
      "<middle>\n"
      "call   3000\n"  // 2000
      "sub    rsi,0x1\n"
      "jne    2000\n"
      "call   3000\n"
      "ret\n"
      "<inner>\n"
      "call   3000\n"
      "ret\n");
  ASSERT_EQ(functions.size(), 3u);
  EXPECT_EQ(functions[0].around, 0);
  EXPECT_EQ(functions[1].around, 1);
  EXPECT_EQ(functions[2].around, 2);
}

TEST(Loops, branches_share_the_frequency) {
  const auto functions = code_of(
      "<kernel>\n"
      "test   rax,rax\n"  // 1000
      "je     1030\n"
      "inc    rcx\n"
      "sub    rdi,0x1\n"  // 1030
      "jne    1000\n"
      "ret\n");
  const Loop& loop = functions.at(0).loops.at(0);
  EXPECT_THAT(functions[0].frequencies(loop.body, loop.header),
              testing::ElementsAre(1, 1, 0.5, 1, 1));
}

bool in_data(std::uint64_t address) { return address >= 0x8000; }

bool copies(std::string_view lines) { return ScratchUse(code_of(lines), in_data).copies(); }

/// A loop that copies from rsi to REGISTER, behind `before`.
std::string copy_to(const std::string& to, const std::string& before) {
  const auto line = static_cast<unsigned>(std::ranges::count(before, '\n'));
  char target[16];
  std::snprintf(target, sizeof target, "%x", 0x1000 + 0x10 * line);
  return "<kernel>\n" + before + "movups xmm0,XMMWORD PTR [rsi+rcx*1]\nmovups XMMWORD PTR [" + to +
         "+rcx*1],xmm0\nadd    rcx,0x10\ncmp    rcx,rdx\njne    " + target + "\nret\n";
}

TEST(ScratchUse, knows_copies_into_memory_of_the_kernel) {
  const std::string variable = "lea    r8,[rip+0x10]        # 8000 <panel>\n";
  const std::string allocated = "call   5000 <malloc@plt>\nmov    r8,rax\n";
  EXPECT_FALSE(copies(copy_to("rdi", "")));  // an argument
  EXPECT_TRUE(copies(copy_to("r8", variable)));
  EXPECT_TRUE(copies(copy_to("r8", allocated)));
  EXPECT_TRUE(copies(copy_to("r8", "lea    r8,[rsp+0x20]\n")));
  EXPECT_TRUE(copies(copy_to("rsp", "")));
  EXPECT_FALSE(copies(copy_to("r8", variable + "mov    r8,rdi\n")));
  EXPECT_FALSE(copies(copy_to("r8", "lea    r8,[rip+0x10]        # 7000 <constants>\n")));
  const std::string spilled = variable + "mov    QWORD PTR [rsp+0x8],r8\n";
  EXPECT_TRUE(copies(copy_to("r9", spilled + "mov    r9,QWORD PTR [rsp+0x8]\n")));
  EXPECT_FALSE(copies(copy_to("r9", spilled + "mov    r9,QWORD PTR [rsp+0x10]\n")));
  EXPECT_TRUE(
      copies("<kernel>\nlea    rdi,[rsp+0x20]\nrep movs QWORD PTR es:[rdi],QWORD PTR "
             "ds:[rsi]\nret\n"));
  EXPECT_TRUE(copies("<kernel>\nlea    rdi,[rsp+0x20]\ncall   5000 <memcpy@plt>\nret\n"));
  EXPECT_FALSE(copies("<kernel>\ncall   5000 <memcpy@plt>\nret\n"));
}

TEST(ScratchUse, follows_addresses_into_functions_and_out_of_them) {
  const auto functions = code_of(
      "<kernel>\n"
      "call   2000\n"
      "mov    rdi,rax\n"
      "call   3000\n"
      "ret\n"
      "<panel>\n"
      "mov    rax,QWORD PTR [rip+0x10]        # 8000 <panel>\n"
      "ret\n"
      "<sum>\n"
      "addps  xmm0,XMMWORD PTR [rdi+rcx*1]\n"
      "addps  xmm1,XMMWORD PTR [rsi+rcx*1]\n"
      "ret\n");
  const ScratchUse use(functions, in_data);
  EXPECT_TRUE(use.reads(functions.at(2), {0}));
  EXPECT_FALSE(use.reads(functions.at(2), {1}));
}

}  // namespace
}  // namespace ke

#include "fitness/cross/listing.hpp"

#include <gmock/gmock.h>

#include "tests/fitness/cross/sample_chip.hpp"

namespace ke::cross {
namespace {

using testing::IsNull;
using testing::NotNull;

constexpr char printed[] =
    "\nkernel.elf:\tfile format elf64-littleriscv\n"
    "\nDisassembly of section .kernel:\n"
    "\n0000000080011000 <kernel>:\n"
    "80011000:      \tvsetvli\tt0, a2, e32, m2, ta, ma\n"
    "80011004:      \tc.add\ta0, a1\n"
    "80011006:      \tlw\ta1, 0x0(a0)\n"
    "\nDisassembly of section .support:\n"
    "\n0000000080011040 <memcpy>:\n"
    "80011040:      \tcsrrs\ta0, vlenb, zero\n";

std::string problem_of(std::string_view text) {
  const Listing listing = Listing::read(text, sample_chip(), {".support"});
  return listing.problem() ? listing.problem()->reason + ": " + listing.problem()->message : "";
}

TEST(Listing, knows_what_each_address_holds) {
  const Chip chip = sample_chip();
  const Listing listing = Listing::read(printed, chip, {".support"});
  EXPECT_FALSE(listing.problem());
  ASSERT_THAT(listing.at(0x80011006), NotNull());
  EXPECT_EQ(listing.at(0x80011006)->text, "lw a1, 0x0(a0)");
  EXPECT_EQ(chip.costs[static_cast<std::size_t>(listing.at(0x80011006)->rule)].name, "load");
  EXPECT_EQ(listing.at(0x80011000)->grouped, 2);
  EXPECT_THAT(listing.at(0x80011002), IsNull());  // the middle of an instruction
  EXPECT_THAT(listing.at(0x80011005), IsNull());
  EXPECT_THAT(listing.at(0x80010000), IsNull());
  EXPECT_THAT(listing.at(0x80020000), IsNull());
}

TEST(Listing, refuses_instructions_of_kernels_but_not_of_trusted_sections) {
  EXPECT_EQ(problem_of(printed), "");
  EXPECT_EQ(problem_of("Disassembly of section .kernel:\n 10: \tcsrrs\ta0, cycle, zero\n"),
            "forbidden_instruction: csrrs a0, cycle, zero");
  EXPECT_EQ(problem_of("Disassembly of section .kernel:\n 10: \tecall\n"),
            "forbidden_instruction: ecall");
}

TEST(Listing, refuses_what_has_no_price) {
  EXPECT_EQ(problem_of("Disassembly of section .kernel:\n 10: \t.word\t0x73\n"),
            "unpriced_instruction: .word 0x73: no class of 'costs' names it");
  EXPECT_EQ(problem_of("nothing"), "no_code: the disassembly is empty");
}

TEST(Listing, reads_how_many_registers_are_grouped) {
  EXPECT_EQ(grouped_registers("t0, a2, e32, m1, ta, ma"), 1);
  EXPECT_EQ(grouped_registers("zero, zero, e8, m8, tu, mu"), 8);
  EXPECT_EQ(grouped_registers("zero, 4, e16, mf4, ta, ma"), 0.25);
  EXPECT_EQ(grouped_registers("a0, a1, a2"), 0);
}

}  // namespace
}  // namespace ke::cross

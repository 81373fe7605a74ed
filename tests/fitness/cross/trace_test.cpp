#include "fitness/cross/machine.hpp"

#include <gmock/gmock.h>

#include "tests/fitness/cross/sample_chip.hpp"

namespace ke::cross {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t end_of_call = 0x80010000;

constexpr char traced_code[] =
    "Disassembly of section .kernel:\n"
    "80011000: \tvsetvli\tt0, a2, e32, m4, ta, ma\n"
    "80011004: \tvle32.v\tv8, (a0)\n"
    "80011008: \tvfadd.vv\tv8, v8, v12\n"
    "8001100c: \tlw\ta1, 0x0(a0)\n"
    "80011010: \tc.jr\tra\n"
    "80011012: \tvl8re8.v\tv8, (a0)\n";

constexpr char blocks[] =
    "----------------\n"
    "IN: \n"
    "Priv: 0; Virt: 0\n"
    "0x0000000080011000:  0d267057          illegal\n"
    "\n"
    "Trace 0: 0x7f0 [00000000/0000000080011000/00000000/ff000000] \n"
    "----------------\n"
    "IN: \n"
    "0x0000000080011004:  02056407          illegal\n"
    "0x0000000080011008:  02861457          illegal\n"
    "0x000000008001100c:  00052583          lw a1,0(a0)\n"
    "0x0000000080011010:  8082              ret\n"
    "Trace 0: 0x7f1 [00000000/0000000080011004/00000000/ff000000] \n";
constexpr char end[] = "Trace 0: 0x7f2 [00000000/0000000080010000/00000000/ff000000] \n";

Result<std::vector<Counts>> counts_of(const std::string& log, const Chip& chip = sample_chip()) {
  const Listing listing = Listing::read(traced_code, chip, {});
  return read_trace(log, chip, listing, end_of_call);
}

TEST(Trace, counts_instructions_by_class_and_vectors_by_length) {
  const auto calls = counts_of(std::string(blocks) + end);
  ASSERT_TRUE(calls);
  ASSERT_EQ(calls->size(), 1U);
  const Counts& one = calls->front();
  EXPECT_EQ(one.instructions, 5);
  EXPECT_THAT(one.of_rule, ElementsAre(2, 1, 0, 1, 1));
  EXPECT_EQ(one.vector_instructions, 2);
  EXPECT_EQ(one.vector_registers, 8);
  EXPECT_EQ(one.cost, 1 + 2 * 4 + 1 * 4 + 3 + 1);  // vsetvli, vle32, vfadd, lw, c.jr
}

TEST(Trace, a_narrow_datapath_takes_more_passes) {
  Chip chip = sample_chip();
  chip.datapath_bits = 128;
  const auto calls = counts_of(std::string(blocks) + end, chip);
  ASSERT_TRUE(calls);
  EXPECT_EQ(calls->front().cost, 1 + 2 * 8 + 1 * 8 + 3 + 1);
}

TEST(Trace, tells_calls_apart_and_blocks_that_were_not_run) {
  const std::string again = "Trace 0: 0x7f0 [00000000/0000000080011000/00000000/ff000000] \n";
  const std::string revoked =
      again + "Stopped execution of TB chain before 0x7f0 [0000000080011000] \n";
  const auto calls = counts_of(std::string(blocks) + end + revoked + again + end);
  ASSERT_TRUE(calls);
  ASSERT_EQ(calls->size(), 2U);
  EXPECT_EQ((*calls)[1].instructions, 1);
}

TEST(Trace, whole_register_moves_have_a_length_of_their_own) {
  const auto calls = counts_of(
      "IN: \n0x0000000080011012:  0\n"
      "Trace 0: 0x7f0 [00000000/0000000080011012/00000000/ff000000] \n" +
      std::string(end));
  ASSERT_TRUE(calls);
  EXPECT_EQ(calls->front().cost, 2 * 8);
}

TEST(Trace, says_where_hidden_code_ran) {
  const auto hidden = counts_of(
      "IN: \n0x0000000080011006:  0\n"
      "Trace 0: 0x7f0 [00000000/0000000080011006/00000000/ff000000] \n" +
      std::string(end));
  ASSERT_TRUE(hidden);
  EXPECT_EQ(hidden->front().hidden, 0x80011006);
  const auto unseen = counts_of("Trace 0: 0x7f0 [0/0000000080011000/0/0] \n" + std::string(end));
  ASSERT_FALSE(unseen);
  EXPECT_THAT(unseen.error().message, HasSubstr("does not show the block at 0x80011000"));
}

}  // namespace
}  // namespace ke::cross

#include "fitness/cross/chip.hpp"

#include <gmock/gmock.h>

#include "fitness/cross/cross_builder.hpp"
#include "tests/fitness/cross/sample_chip.hpp"

namespace ke::cross {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Chip, fills_words_and_lists_into_commands) {
  const Words words{{{"image", "a.elf"}, {"support", "/chip"}}, {{"flags", {"-O3", "-g0"}}}};
  EXPECT_THAT(filled({"ld", "{flags}", "-T", "{support}/x.ld", "in={image}:{image}"}, words),
              ElementsAre("ld", "-O3", "-g0", "-T", "/chip/x.ld", "in=a.elf:a.elf"));
}

TEST(Chip, patterns_end_in_a_star_or_are_whole_names) {
  EXPECT_TRUE(matches("csrrw", {"ecall", "csr*"}));
  EXPECT_FALSE(matches("ecallx", {"ecall", "csr*"}));
  EXPECT_TRUE(matches("anything", {"*"}));
}

TEST(Chip, an_empty_description_names_what_is_missing) {
  ParamLog log;
  Params device(nullptr, "device", log);
  Chip::read(device);
  EXPECT_THAT(log.errors, Contains(HasSubstr("'device.toolchain.compile' is missing")));
  EXPECT_THAT(log.errors, Contains(HasSubstr("'device.runner.command' is missing")));
  EXPECT_THAT(log.errors, Contains(HasSubstr("'device.costs' is missing")));
}

TEST(Chip, names_classes_once_and_programs_that_are_not_there) {
  Chip chip = sample_chip();
  chip.compile = {"/nowhere/cc", "-c"};
  chip.link = {"/nowhere/cc"};
  chip.run = {"/bin/sh"};
  EXPECT_THAT(chip.class_names(),
              ElementsAre("scalar", "load", "vector_memory", "vector_arithmetic"));
  EXPECT_THAT(chip.missing_programs(), ElementsAre("/nowhere/cc"));
}

TEST(Chip, flags_are_passed_on_dropped_or_refused) {
  Chip chip;
  chip.flags = {"-O3", "-ffp-contract=*"};
  chip.dropped_flags = {"-march=*"};
  const FlagCheck good = check_chip_flags({"-O3", "-march=native", "-ffp-contract=off"}, chip);
  EXPECT_THAT(good.accepted, ElementsAre("-O3", "-ffp-contract=off"));
  EXPECT_FALSE(good.forbidden);
  EXPECT_EQ(check_chip_flags({"-O3", "-fplugin=x.so"}, chip).forbidden, "-fplugin=x.so");
}

TEST(Chip, reads_resources_from_a_printed_table) {
  const char printed[] = "section   size  addr\n.kernel   1234  5678\n.data  7 8\n";
  EXPECT_EQ(resource_in(printed, {"code_bytes", ".kernel", 1}), 1234);
  EXPECT_EQ(resource_in(printed, {"at", ".kernel", 2}), 5678);
  EXPECT_FALSE(resource_in(printed, {"x", ".bss", 1}));
  EXPECT_FALSE(resource_in(printed, {"x", "section", 1}));
}

}  // namespace
}  // namespace ke::cross

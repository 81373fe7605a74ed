#include "core/knob_space.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ke {
namespace {

constexpr const char* source = R"(// @task axpb
// @knob WIDTH int {4, 8, 16} = 8          floats in a vector
// @knob ORDER enum {ijk, ikj} = ikj
// @knob PREFETCH bool = false
// @require !PREFETCH || WIDTH >= 8
// @flags -O3 -march=native; -funroll-loops?; -mprefer-vector-width={256,512}
extern "C" void kernel();
)";

KernelSpace parsed(std::string_view text = source) {
  auto space = parse_kernel_space("axpb.cpp", text);
  EXPECT_TRUE(space) << space.error().message;
  return *space;
}

std::string complaint(const std::string& line) {
  auto space = parse_kernel_space("k.cpp", "\n" + line + "\n");
  return space ? "accepted" : space.error().message;
}

TEST(KnobSpace, reads_all_declarations) {
  const KernelSpace space = parsed();
  EXPECT_EQ(space.task, "axpb");
  ASSERT_EQ(space.knobs.size(), 3u);
  EXPECT_EQ(space.knobs[0].doc, "floats in a vector");
  EXPECT_EQ(space.fixed_flags, (std::vector<std::string>{"-O3", "-march=native"}));
  ASSERT_EQ(space.flag_genes.size(), 2u);
  EXPECT_EQ(space.flag_genes[0].alternatives, (std::vector<std::string>{"", "-funroll-loops"}));
  EXPECT_EQ(space.flag_genes[1].alternatives,
            (std::vector<std::string>{"-mprefer-vector-width=256", "-mprefer-vector-width=512"}));
  EXPECT_EQ(space.size(), 3u * 2 * 2 * 2 * 2);
}

TEST(KnobSpace, macros_give_integers_and_enum_positions) {
  const KernelSpace space = parsed();
  const auto macros = space.macros(space.defaults("axpb.cpp", source));
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(macros, (std::vector<Pair>{{"WIDTH", "8"},
                                       {"ORDER", "1"},
                                       {"ORDER_ijk", "0"},
                                       {"ORDER_ikj", "1"},
                                       {"PREFETCH", "0"}}));
}

TEST(KnobSpace, samples_reach_every_admitted_point_and_no_other) {
  const KernelSpace space = parsed();
  const Kernel base = space.defaults("axpb.cpp", source);
  RandomStream random({1, 0, 0, 0, Purpose::test});
  std::set<Digest> seen;
  for (int i = 0; i < 2000; ++i) {
    const auto kernel = space.sample(base, random);
    ASSERT_TRUE(kernel);
    EXPECT_TRUE(kernel->knobs.at("PREFETCH") == "false" || kernel->knobs.at("WIDTH") != "4");
    seen.insert(kernel->genome_hash());
  }
  EXPECT_EQ(seen.size(), 48u - 8u);  // WIDTH=4 with PREFETCH: 2 orders x 4 flag settings
}

TEST(KnobSpace, positions_say_what_texts_say) {
  const KernelSpace space = parsed();
  const Kernel base = space.defaults("axpb.cpp", source);
  EXPECT_EQ(space.positions(base), (Positions{1, 1, 0}));
  int admitted = 0;
  for (std::uint16_t width = 0; width < 3; ++width) {
    for (std::uint16_t order = 0; order < 2; ++order) {
      for (std::uint16_t prefetch = 0; prefetch < 2; ++prefetch) {
        const Positions at{width, order, prefetch};
        Kernel kernel = base;
        space.set(at, kernel);
        EXPECT_EQ(kernel.knobs.at("WIDTH"), std::to_string(4 << width));
        EXPECT_EQ(space.positions(kernel), at);
        EXPECT_EQ(space.admits(at), space.admits(kernel));
        EXPECT_EQ(space.admits(at), prefetch == 0 || width > 0);
        admitted += space.admits(at);
      }
    }
  }
  EXPECT_EQ(admitted, 10);
  EXPECT_FALSE(space.admits(Positions{3, 0, 0}));
}

TEST(KnobSpace, a_kernel_of_another_space_is_not_admitted) {
  const KernelSpace space = parsed();
  Kernel kernel = space.defaults("axpb.cpp", source);
  kernel.knobs["WIDTH"] = "5";
  EXPECT_TRUE(space.declares(kernel));
  EXPECT_EQ(space.positions(kernel), (Positions{3, 1, 0}));
  EXPECT_FALSE(space.admits(kernel));
  kernel.knobs.erase("WIDTH");
  EXPECT_FALSE(space.declares(kernel));
  kernel.knobs["DEPTH"] = "8";
  EXPECT_FALSE(space.admits(kernel));
  kernel = space.defaults("axpb.cpp", source);
  kernel.flags.pop_back();
  EXPECT_FALSE(space.admits(kernel));
}

TEST(KnobSpace, complaints_name_the_line) {
  EXPECT_EQ(complaint("// @knob 3X int {1} = 1"), "k.cpp:2: expected a knob name after @knob");
  EXPECT_EQ(complaint("// @knob X float {1} = 1"),
            "k.cpp:2: knob type 'float' is not one of int, bool, enum");
  EXPECT_EQ(complaint("// @knob X int 1 = 1"),
            "k.cpp:2: expected values in braces, like {1, 2, 4}");
  EXPECT_EQ(complaint("// @knob X int {1, a} = 1"), "k.cpp:2: knob X: 'a' is not a value");
  EXPECT_EQ(complaint("// @knob X int {1, 1} = 1"), "k.cpp:2: knob X: value '1' stands twice");
  EXPECT_EQ(complaint("// @knob X int {2, 3, 1, 2} = 1"),
            "k.cpp:2: knob X: value '2' stands twice");
  EXPECT_EQ(complaint("// @knob X int {1, 2}"), "k.cpp:2: knob X: expected '= default'");
  EXPECT_EQ(complaint("// @knob X int {1, 2} = 3"),
            "k.cpp:2: knob X: default '3' is not one of 1, 2");
  EXPECT_EQ(complaint("// @flags -O3; -x={a,b} -y"),
            "k.cpp:2: flag gene '-x={a,b} -y' must end in its {choices}");
  EXPECT_EQ(complaint("// @flags -O3 fast=1"), "k.cpp:2: flag 'fast=1' must begin with '-'");
  EXPECT_EQ(complaint("// @require Y > 1"), "k.cpp: @require Y > 1: 'Y' is not a knob");
  EXPECT_EQ(complaint("// @knob A bool = true\n// @knob A bool = true"),
            "k.cpp:3: knob A is declared twice");
  std::string many = "0";
  for (int i = 1; i < 65536; ++i) many += ", " + std::to_string(i);
  EXPECT_EQ(complaint("// @knob X int {" + many + "} = 0"),
            "k.cpp:2: knob X: 65536 values, more than 65535");
}

TEST(KnobSpace, flags_without_a_choice_are_always_on_wherever_they_stand) {
  const auto space =
      parse_kernel_space("k.cl", "// @flags -cl-std=CL3.0; -cl-mad-enable; -x?; -y -z\n");
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_EQ(space->fixed_flags,
            (std::vector<std::string>{"-cl-std=CL3.0", "-cl-mad-enable", "-y", "-z"}));
  EXPECT_EQ(space->flag_genes.size(), 1u);
}

}  // namespace
}  // namespace ke

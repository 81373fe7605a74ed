#include "core/search/flag_search.hpp"

#include <gtest/gtest.h>

#include <map>

namespace ke {
namespace {

/// A space of genes that each may be left out, and the kernel at its defaults.
struct Flagged {
  explicit Flagged(std::vector<std::vector<std::string>> alternatives) {
    for (auto& list : alternatives) space.flag_genes.push_back({std::move(list)});
    for (const FlagGene& gene : space.flag_genes) kernel.flags.push_back(gene.alternatives[0]);
  }

  /// Speedups by the joined flags; 1 for all others.
  std::string best(std::int64_t most, const std::map<std::string, double>& speedups) {
    std::string found;
    double most_speedup = 0;
    tried = 0;
    const auto done = search_flags(
        kernel, space, most, [&](const Kernel& variant) -> Result<std::optional<double>> {
          ++tried;
          std::string name;
          for (const std::string& flag : variant.flags) name += flag;
          const auto known = speedups.find(name);
          const double speedup = known == speedups.end() ? 1 : known->second;
          if (speedup > most_speedup) {
            most_speedup = speedup;
            found = name;
          }
          return std::optional(speedup);
        });
    EXPECT_TRUE(done && *done);
    return found;
  }

  KernelSpace space;
  Kernel kernel;
  int tried = 0;
};

// Scalar code is a little faster without -march=native, and twice as fast with both.
TEST(FlagSearch, finds_flags_that_help_together_alone) {
  Flagged naive({{"-march=native", ""}, {"", "-ffast-math"}});
  EXPECT_EQ(naive.best(16, {{"", 1.05}, {"-march=native-ffast-math", 2}}),
            "-march=native-ffast-math");
  EXPECT_EQ(naive.tried, 4);
}

TEST(FlagSearch, order_of_the_genes_does_not_matter) {
  Flagged naive({{"", "-ffast-math"}, {"-march=native", ""}});
  EXPECT_EQ(naive.best(16, {{"", 1.05}, {"-ffast-math-march=native", 2}}),
            "-ffast-math-march=native");
}

TEST(FlagSearch, many_sets_are_climbed_from_both_ends_until_nothing_improves) {
  Flagged naive({{"", "a"}, {"", "b"}, {"", "c"}, {"", "d"}, {"", "e"}, {"", "f"}});
  EXPECT_EQ(flag_set_count(naive.space), 64u);
  EXPECT_EQ(naive.best(40, {{"abcdef", 2}, {"acdef", 2.5}, {"cdef", 3}}), "cdef");
  EXPECT_LE(naive.tried, 40);
}

TEST(FlagSearch, never_tries_more_sets_than_allowed) {
  Flagged naive({{"", "a"}, {"", "b"}, {"", "c"}, {"", "d"}});
  naive.best(5, {});
  EXPECT_EQ(naive.tried, 5);
}

TEST(FlagSearch, ends_when_a_stop_is_requested) {
  Flagged naive(std::vector<std::vector<std::string>>{{"", "a"}});
  const auto stopped = search_flags(
      naive.kernel, naive.space, 16,
      [](const Kernel&) -> Result<std::optional<double>> { return std::optional<double>(); });
  ASSERT_TRUE(stopped);
  EXPECT_FALSE(*stopped);
}

}  // namespace
}  // namespace ke

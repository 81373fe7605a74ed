#include "core/search/flag_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/random_stream.hpp"

namespace ke {
namespace {

/// A space of optional genes, and the kernel at its defaults.
struct Flagged {
  explicit Flagged(std::vector<std::vector<std::string>> alternatives) {
    for (auto& list : alternatives) space.flag_genes.push_back({std::move(list)});
    for (const FlagGene& gene : space.flag_genes) kernel.flags.push_back(gene.alternatives[0]);
  }

  /// Speedups by the joined flags; 1 for all other sets.
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

// Scalar code is slightly faster without -march=native, and twice as fast with both flags.
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

// Every flag set has its own speedup, so that genes interact in all ways; the oracle is the table's
// maximum.
TEST(FlagSearch, few_sets_give_the_best_of_all_whatever_interacts) {
  RandomStream random({11, 0, 0, 0, Purpose::test});
  for (int round = 0; round < 300; ++round) {
    Flagged naive({{"", "a"}, {"b", "", "c"}, {"", "d"}});
    std::map<std::string, double> speedups;
    for (const char* a : {"", "a"}) {
      for (const char* b : {"b", "", "c"}) {
        for (const char* d : {"", "d"}) {
          speedups[std::string(a) + b + d] = 0.5 + 3 * random.uniform();
        }
      }
    }
    const auto best =
        std::ranges::max_element(speedups, {}, [](const auto& entry) { return entry.second; });
    EXPECT_EQ(naive.best(12, speedups), best->first);
    EXPECT_EQ(naive.tried, 12);
  }
}

// All pairs of flags help or harm each other in 64 sets: the climb ends where no single change of
// its best set gains.
TEST(FlagSearch, many_sets_end_where_no_single_change_gains) {
  RandomStream random({12, 0, 0, 0, Purpose::test});
  const std::string names = "abcdef";
  for (int round = 0; round < 100; ++round) {
    std::array<std::array<double, 6>, 6> effect{};
    for (auto& row : effect) {
      for (double& x : row) x = random.uniform() - 0.5;
    }
    std::map<std::string, double> speedups;
    for (unsigned set = 0; set < 64; ++set) {
      std::string key;
      double log_speedup = 0;
      for (std::size_t i = 0; i < 6; ++i) {
        if ((set >> i & 1) == 0) continue;
        key += names[i];
        for (std::size_t j = i; j < 6; ++j) log_speedup += (set >> j & 1) * effect[i][j];
      }
      speedups[key] = std::exp(log_speedup);
    }
    Flagged naive({{"", "a"}, {"", "b"}, {"", "c"}, {"", "d"}, {"", "e"}, {"", "f"}});
    const std::string found = naive.best(63, speedups);
    for (const char flag : names) {
      std::string other;
      for (const char one : names) {
        const bool has = found.find(one) != found.npos;
        if (has != (one == flag)) other += one;
      }
      EXPECT_LE(speedups.at(other), speedups.at(found)) << found << " " << other;
    }
  }
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

// Memory from the program's operator new.

#include <gmock/gmock.h>

#include <cstdint>
#include <fstream>
#include <limits>
#include <new>
#include <sstream>
#include <string>
#include <vector>

namespace ke {
namespace {

using testing::HasSubstr;

/// Flags that Linux reports for the mapping of an address.
std::string flags_of(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t from = 0, to = 0;
    char dash = 0;
    if (std::istringstream head(line); head >> std::hex >> from >> dash >> to && dash == '-') {
      inside = from <= wanted && wanted < to;
    }
    if (inside && line.starts_with("VmFlags:")) return line + " ";
  }
  return "";
}

TEST(HugePages, are_asked_for_where_much_is_wanted) {
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled")) {
    GTEST_SKIP() << "this system has no transparent huge pages";
  }
  const std::vector<char> much(std::size_t{64} << 20, 1);
  EXPECT_THAT(flags_of(much.data() + much.size() / 2), HasSubstr(" hg "));
}

TEST(HugePages, leave_memory_to_be_used_and_given_back) {
  for (const std::size_t size : {0UL, 1UL, 4194303UL, 4194304UL, 4194305UL, 9437185UL}) {
    std::vector<char> bytes(size, 7);
    bytes.resize(size + 5'000'000, 8);
    EXPECT_EQ(bytes.front(), size == 0 ? 8 : 7) << size;
    EXPECT_EQ(bytes.back(), 8) << size;
  }
}

TEST(HugePages, more_than_there_can_be_is_bad_alloc) {
  const auto take = [](std::size_t size) { ::operator delete(::operator new(size)); };
  EXPECT_THROW(take(std::numeric_limits<std::size_t>::max()), std::bad_alloc);
  EXPECT_THROW(take(std::numeric_limits<std::size_t>::max() - (std::size_t{2} << 20)),
               std::bad_alloc);
  EXPECT_THROW(take(std::size_t{PTRDIFF_MAX}), std::bad_alloc);
}

}  // namespace
}  // namespace ke

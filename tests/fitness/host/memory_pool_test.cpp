#include "fitness/host/memory_pool.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace ke {
namespace {

constexpr std::size_t megabyte = std::size_t{1} << 20;

TEST(memory_pool, gives_a_file_again_when_nobody_holds_it) {
  MemoryPool pool;
  auto first = *pool.take("a", 2 * megabyte, Sharing::read_write);
  const int fd = first->fd();
  std::memset(first->data(), 7, first->size());
  const auto other = *pool.take("b", 2 * megabyte, Sharing::read_write);
  EXPECT_NE(other->fd(), fd);
  first.reset();
  EXPECT_EQ((*pool.take("c", 2 * megabyte, Sharing::read_write))->fd(), fd);
}

TEST(memory_pool, clears_what_workers_may_have_written) {
  MemoryPool pool;
  auto first = *pool.take("a", megabyte, Sharing::read_write);
  std::memset(first->data(), 7, first->size());
  first.reset();
  const auto again = *pool.take("b", megabyte, Sharing::read_write);
  for (std::size_t i = 0; i < again->size(); ++i) ASSERT_EQ(again->data()[i], std::byte{0});
}

TEST(memory_pool, takes_the_smallest_that_fits_and_none_far_too_large) {
  MemoryPool pool;
  const int large = (*pool.take("large", 8 * megabyte, Sharing::read_only))->fd();
  const auto small = *pool.take("small", megabyte, Sharing::read_only);
  EXPECT_NE(small->fd(), large);
  EXPECT_EQ(small->size(), megabyte);
  const auto middle = *pool.take("middle", 5 * megabyte, Sharing::read_only);
  EXPECT_EQ(middle->fd(), large);
}

TEST(memory_pool, never_lets_a_read_only_file_become_a_writable_one) {
  MemoryPool pool;
  const int fd = (*pool.take("a", megabyte, Sharing::read_only))->fd();
  const auto writable = *pool.take("b", megabyte, Sharing::read_write);
  EXPECT_NE(writable->fd(), fd);
}

TEST(memory_pool, renewed_gives_other_memory_and_leaves_what_is_held) {
  MemoryPool pool;
  const auto held = *pool.take("a", megabyte, Sharing::read_write);
  auto idle = *pool.take("b", megabyte, Sharing::read_write);
  std::memset(held->data(), 7, held->size());
  std::memset(idle->data(), 7, idle->size());
  idle.reset();
  pool.renew();
  EXPECT_EQ(held->data()[0], std::byte{7});
  EXPECT_EQ((*pool.take("c", megabyte, Sharing::read_write))->data()[0], std::byte{0});
}

TEST(memory_pool, keeps_nothing_when_told_so) {
  MemoryPool pool(false);
  auto first = *pool.take("a", megabyte, Sharing::read_write);
  std::memset(first->data(), 7, first->size());
  first.reset();
  const auto second = *pool.take("b", megabyte, Sharing::read_write);
  EXPECT_EQ(second->data()[0], std::byte{0});
}

}  // namespace
}  // namespace ke

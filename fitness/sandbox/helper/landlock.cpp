// Landlock rules of the helper. Defines the kernel's constants, because Debian 12's header ends at
// ABI 2.

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>

#include "fitness/sandbox/helper/setup.hpp"

namespace ke::helper {
namespace {

struct RulesetAttr {
  std::uint64_t files = 0;
  std::uint64_t net = 0;
  std::uint64_t scoped = 0;
};

struct __attribute__((packed)) PathRule {
  std::uint64_t allowed = 0;
  std::int32_t parent_fd = -1;
};

constexpr std::uint64_t may_execute = 1, may_write_file = 2, may_read_file = 4, may_read_folder = 8;
constexpr std::uint64_t may_truncate = 1 << 14;
constexpr std::uint64_t may_read = may_execute | may_read_file | may_read_folder;
constexpr std::uint64_t may_move = 1 << 13;  // from one folder to another
// Allows write, read, list, remove, make regular files and folders, move, truncate; not devices,
// sockets or links.
constexpr std::uint64_t may_write = may_write_file | may_read_file | may_read_folder | 1 << 4 |
                                    1 << 5 | 1 << 7 | 1 << 8 | may_move | may_truncate;
constexpr std::uint64_t meant_for_files =
    may_execute | may_write_file | may_read_file | may_truncate;

std::uint64_t handled_files(long abi) {
  if (abi >= 5) return (1 << 16) - 1;
  if (abi >= 3) return (1 << 15) - 1;
  return abi == 2 ? (1 << 14) - 1 : (1 << 13) - 1;
}

RulesetAttr handled(long abi) {
  RulesetAttr attr{handled_files(abi), 0, 0};
  if (abi >= 4) attr.net = 3;     // bind and connect TCP: none allowed
  if (abi >= 6) attr.scoped = 3;  // confines abstract sockets and signals
  return attr;
}

void allow_fd(int ruleset, int fd, std::uint64_t rights, std::uint64_t known) {
  struct stat info;
  if (fstat(fd, &info) != 0) fail("landlock stat");
  PathRule rule{rights & known & (S_ISDIR(info.st_mode) ? ~std::uint64_t{0} : meant_for_files), fd};
  if (syscall(SYS_landlock_add_rule, ruleset, 1, &rule, 0) != 0) fail("landlock rule");
}

void allow(int ruleset, const std::string& path, std::uint64_t rights, std::uint64_t known) {
  const int fd = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0) fail("landlock " + path);
  allow_fd(ruleset, fd, rights, known);
  close(fd);
}

}  // namespace

void restrict_files(const SandboxSpec& spec, int exec_fd) {
  const long abi = syscall(SYS_landlock_create_ruleset, nullptr, 0, 1);
  if (abi < 1) fail("landlock");
  const RulesetAttr attr = handled(abi);
  const std::size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
  const int ruleset = static_cast<int>(syscall(SYS_landlock_create_ruleset, &attr, size, 0));
  if (ruleset < 0) fail("landlock ruleset");
  for (const std::string& path : spec.read_only) allow(ruleset, path, may_read, attr.files);
  for (const WritablePath& path : spec.writable) {
    const bool exists = spec.level == SandboxLevel::namespaces || path.tmpfs_bytes == 0;
    if (exists) allow(ruleset, path.path, may_write, attr.files);
  }
  allow(ruleset, "/dev/null", may_read_file | may_write_file, attr.files);
  allow(ruleset, "/dev/zero", may_read_file, attr.files);
  allow(ruleset, "/dev/urandom", may_read_file, attr.files);
  if (spec.proc && spec.level == SandboxLevel::namespaces)
    allow(ruleset, "/proc", may_read_file | may_read_folder, attr.files);
  allow_fd(ruleset, exec_fd, may_execute | may_read_file, attr.files);
  if (syscall(SYS_landlock_restrict_self, ruleset, 0) != 0) fail("landlock restrict");
  close(ruleset);
}

}  // namespace ke::helper

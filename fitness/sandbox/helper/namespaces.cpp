// Namespaces and the new root of the helper.

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <string>
#include <vector>

#include "fitness/sandbox/helper/setup.hpp"

// <sys/mount.h> and <linux/mount.h> of Debian 12 cannot be included together.
extern "C" int mount(const char*, const char*, const char*, unsigned long, const void*) noexcept;
extern "C" int umount2(const char*, int) noexcept;

namespace ke::helper {
namespace {

constexpr unsigned long mount_no_suid = 2, mount_no_devices = 4, mount_recursive = 16384,
                        mount_private = 1 << 18;
constexpr int unmount_detached = 2;
constexpr int other_namespaces =
    CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWPID;

void write_file(const char* path, const std::string& text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0 || write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    fail(path);
  close(fd);
}

void map_ids(uid_t uid, gid_t gid) {
  write_file("/proc/self/setgroups", "deny");
  write_file("/proc/self/uid_map", "65534 " + std::to_string(uid) + " 1");
  write_file("/proc/self/gid_map", "65534 " + std::to_string(gid) + " 1");
}

// A detached copy of a mount, so that the new root may cover the original.
struct Piece {
  std::string path;
  int fd = -1;
  bool folder = false;
  std::string link;  // target of a symbolic link
};

Piece take(const std::string& path, std::uint64_t attributes) {
  Piece piece{path, -1, false, {}};
  struct stat info;
  if (lstat(path.c_str(), &info) != 0) fail(path);
  if (S_ISLNK(info.st_mode)) {
    char target[PATH_MAX];
    const ssize_t length = readlink(path.c_str(), target, sizeof target);
    if (length < 0) fail(path);
    piece.link.assign(target, static_cast<std::size_t>(length));
    return piece;
  }
  piece.folder = S_ISDIR(info.st_mode);
  piece.fd = static_cast<int>(syscall(SYS_open_tree, AT_FDCWD, path.c_str(),
                                      OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE));
  if (piece.fd < 0) fail("open_tree " + path);
  mount_attr set{};
  set.attr_set = attributes;
  if (syscall(SYS_mount_setattr, piece.fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &set, sizeof set) !=
      0) {
    fail("mount_setattr " + path);
  }
  return piece;
}

// Paths are relative to the new root, which is the current folder.
std::string inside(const std::string& path) { return "." + path; }

void make_parents(const std::string& path) {
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
    mkdir(inside(path.substr(0, at)).c_str(), 0755);
  }
}

void place(const Piece& piece) {
  make_parents(piece.path);
  const std::string where = inside(piece.path);
  if (!piece.link.empty()) {
    if (symlink(piece.link.c_str(), where.c_str()) != 0 && errno != EEXIST) fail(piece.path);
    return;
  }
  if (piece.folder)
    mkdir(where.c_str(), 0755);
  else
    close(open(where.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
  if (syscall(SYS_move_mount, piece.fd, "", AT_FDCWD, where.c_str(), MOVE_MOUNT_F_EMPTY_PATH) !=
      0) {
    fail("move_mount " + piece.path);
  }
  close(piece.fd);
}

void place_tmpfs(const WritablePath& place) {
  make_parents(place.path);
  mkdir(inside(place.path).c_str(), 0755);
  const std::string options = "mode=1777,size=" + std::to_string(place.tmpfs_bytes);
  if (mount("tmpfs", inside(place.path).c_str(), "tmpfs", mount_no_suid | mount_no_devices,
            options.c_str()) != 0) {
    fail("tmpfs " + place.path);
  }
}

std::vector<Piece> take_all(const SandboxSpec& spec) {
  std::vector<Piece> pieces;
  constexpr std::uint64_t closed = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  for (const std::string& path : spec.read_only) {
    pieces.push_back(take(path, closed | MOUNT_ATTR_RDONLY));
  }
  for (const WritablePath& path : spec.writable) {
    if (path.tmpfs_bytes != 0) continue;
    pieces.push_back(take(path.path, closed | (path.executable ? 0 : MOUNT_ATTR_NOEXEC)));
  }
  for (const char* device : {"/dev/null", "/dev/zero", "/dev/urandom"}) {
    pieces.push_back(take(device, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC));
  }
  return pieces;
}

void seal_root() {
  mount_attr set{};
  set.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  if (syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, &set, sizeof set) != 0) fail("sealing the root");
}

}  // namespace

bool enter_namespaces() {
  const uid_t uid = geteuid();
  const gid_t gid = getegid();
  if (uid == 0 && unshare(other_namespaces) == 0) return false;
  // Ordinary users, and root of a container without the capability, also need a user namespace.
  if (unshare(CLONE_NEWUSER | other_namespaces) != 0) fail("unshare");
  map_ids(uid, gid);
  return true;
}

void build_root(const SandboxSpec& spec) {
  if (mount("none", "/", nullptr, mount_recursive | mount_private, nullptr) != 0)
    fail("private mounts");
  const std::vector<Piece> pieces = take_all(spec);
  if (mount("tmpfs", "/tmp", "tmpfs", mount_no_suid | mount_no_devices, "mode=0755,size=1m") != 0)
    fail("root tmpfs");
  if (chdir("/tmp") != 0) fail("/tmp");
  for (const Piece& piece : pieces) place(piece);
  for (const WritablePath& path : spec.writable) {
    if (path.tmpfs_bytes != 0) place_tmpfs(path);
  }
  if (spec.proc) {
    mkdir("./proc", 0755);
    if (mount("proc", "./proc", "proc", mount_no_suid | mount_no_devices, nullptr) != 0)
      fail("proc");
  }
  if (syscall(SYS_pivot_root, ".", ".") != 0) fail("pivot_root");
  if (umount2(".", unmount_detached) != 0) fail("leaving the old root");
  seal_root();
}

}  // namespace ke::helper

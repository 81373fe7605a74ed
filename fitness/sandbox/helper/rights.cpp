// Credentials, resource limits and error reports of the helper.

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "fitness/sandbox/helper/setup.hpp"

namespace ke::helper {
namespace {

int status_fd = -1;  // one process, one status pipe

constexpr uid_t nobody = 65534;

void limit(__rlimit_resource which, std::uint64_t soft, std::uint64_t hard) {
  const rlimit value{soft, hard};
  // An ordinary user cannot raise a hard limit, but a lower one is good enough.
  rlimit old{};
  getrlimit(which, &old);
  const rlimit capped{std::min(value.rlim_cur, old.rlim_max),
                      std::min(value.rlim_max, old.rlim_max)};
  if (setrlimit(which, geteuid() == 0 ? &value : &capped) != 0 && setrlimit(which, &capped) != 0) {
    fail("setrlimit");
  }
}

void limit(__rlimit_resource which, std::uint64_t value) { limit(which, value, value); }

// Whether the uid exists in this user namespace; a rootless container maps only some.
bool is_mapped(uid_t uid) {
  std::FILE* map = std::fopen("/proc/self/uid_map", "r");
  if (map == nullptr) return false;
  unsigned long first, outside, count;
  bool found = false;
  while (std::fscanf(map, "%lu %lu %lu", &first, &outside, &count) == 3) {
    found = found || (uid >= first && uid - first < count);
  }
  std::fclose(map);
  return found;
}

}  // namespace

void set_status_fd(int fd) { status_fd = fd; }

void fail(std::string_view what) { fail_with(std::string(what) + ": " + std::strerror(errno)); }

static void send(char kind, std::string_view text) {
  std::string bytes = kind + std::string(text);
  bytes.push_back('\0');
  if (write(status_fd, bytes.data(), bytes.size()) < 0) _exit(3);
}

void fail_with(std::string_view text) {
  send('E', text);
  _exit(2);
}

void report_pid(pid_t pid) { send('P', std::to_string(pid)); }

uid_t choose_uid() {
  const uid_t own = first_own_uid + static_cast<uid_t>(getpid());
  return is_mapped(own) ? own : nobody;
}

void drop_to(uid_t uid, const SandboxSpec& spec) {
  for (const WritablePath& place : spec.writable) {
    if (place.tmpfs_bytes == 0 && chown(place.path.c_str(), uid, uid) != 0) {
      fail("chown " + place.path);
    }
  }
  if (setgroups(0, nullptr) != 0) fail("setgroups");
  if (setresgid(uid, uid, uid) != 0) fail("setresgid");
  if (setresuid(uid, uid, uid) != 0) fail("setresuid");
}

std::uint64_t count_own_tasks() {
  std::uint64_t tasks = 0;
  DIR* proc = opendir("/proc");
  if (proc == nullptr) return 1024;
  while (const dirent* entry = readdir(proc)) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    struct stat info;
    const std::string path = std::string("/proc/") + entry->d_name + "/task";
    // A folder has two links plus one for each folder in it.
    if (stat(path.c_str(), &info) == 0 && info.st_uid == geteuid()) tasks += info.st_nlink - 2;
  }
  closedir(proc);
  return tasks;
}

void set_limits(const SandboxSpec& spec, std::uint64_t others) {
  const SandboxLimits& limits = spec.limits;
  if (limits.address_space_bytes != 0) limit(RLIMIT_AS, limits.address_space_bytes);
  limit(RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1);
  limit(RLIMIT_FSIZE, limits.file_bytes);
  limit(RLIMIT_NOFILE, limits.open_files);
  limit(RLIMIT_NPROC, limits.processes + others);
  limit(RLIMIT_STACK, limits.stack_bytes);
  limit(RLIMIT_CORE, 0);
}

}  // namespace ke::helper

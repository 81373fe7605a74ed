#pragma once
// The steps of the helper `kernelevolve-sandbox`; each stops the process with a reason when it
// fails.

#include <sys/types.h>

#include <string_view>

#include "fitness/sandbox/spec.hpp"

namespace ke::helper {

/// Writes `what: strerror(errno)` to the status pipe and ends this process.
[[noreturn]] void fail(std::string_view what);
/// As fail, with a text of its own.
[[noreturn]] void fail_with(std::string_view text);
/// Tells the pid of the process, as its parent sees it.
void report_pid(pid_t pid);
/// Where the two above write.
void set_status_fd(int fd);

/// New mount, network, ipc, uts and pid (for children) namespaces; a user namespace if needed.
/// Answers whether a user namespace was made.
bool enter_namespaces();
/// A new root that holds only what `spec` names.
void build_root(const SandboxSpec& spec);
/// Landlock rules for the same paths; refuses all other files, TCP, signals and abstract sockets.
void restrict_files(const SandboxSpec& spec, int exec_fd);
/// Resource limits; `others` processes of the same uid do not count against the spec's number.
void set_limits(const SandboxSpec& spec, std::uint64_t others);
/// Tasks that the uid of this process has now.
std::uint64_t count_own_tasks();
/// First of a range that no distribution gives to people, services or containers' maps.
inline constexpr uid_t first_own_uid = 0x70000000;
/// An uid of its own for this sandbox, so that process limits and kill(-1) mean the sandbox alone;
/// `nobody` where that one does not exist (rootless containers).
uid_t choose_uid();
/// Becomes `uid` for good and hands it the writable folders.
void drop_to(uid_t uid, const SandboxSpec& spec);

}  // namespace ke::helper

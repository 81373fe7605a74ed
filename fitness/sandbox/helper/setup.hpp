#pragma once
// The steps of the helper `kernelevolve-sandbox`. A step that fails ends the process with a reason.

#include <sys/types.h>

#include <string_view>

#include "fitness/sandbox/spec.hpp"

namespace ke::helper {

/// Writes `what: strerror(errno)` to the status pipe and ends this process.
[[noreturn]] void fail(std::string_view what);
/// Like fail, with a custom text.
[[noreturn]] void fail_with(std::string_view text);
/// Reports the pid of the process in its parent's namespace.
void report_pid(pid_t pid);
/// Sets the descriptor for fail, fail_with and report_pid.
void set_status_fd(int fd);

/// Makes new mount, network, ipc, uts and pid (for children) namespaces, and a user namespace if
/// needed. Returns whether it made a user namespace.
bool enter_namespaces();
/// Makes a new root that holds only the paths in `spec`.
void build_root(const SandboxSpec& spec);
/// Adds Landlock rules for the same paths; refuses all other files, TCP, signals and abstract
/// sockets.
void restrict_files(const SandboxSpec& spec, int exec_fd);
/// Sets resource limits; `others` is the number of further processes of the uid, which the limit
/// must allow on top of the spec's number.
void set_limits(const SandboxSpec& spec, std::uint64_t others);
/// Number of current tasks of this process's uid.
std::uint64_t count_own_tasks();
/// Start of a range that no distribution assigns to people, services or containers' maps.
inline constexpr uid_t first_own_uid = 0x70000000;
/// A uid used by no other sandbox, so that process limits and kill(-1) affect only this one;
/// `nobody` where that uid does not exist (rootless containers).
uid_t choose_uid();
/// Switches to `uid` permanently and gives it the writable folders.
void drop_to(uid_t uid, const SandboxSpec& spec);

}  // namespace ke::helper

#pragma once
// Starts a program in a process group that can be killed as a whole.

#include <string>
#include <vector>

namespace ke {

/// Starts `command` (looked up in PATH) in its own process group, with the descriptors as standard
/// input and output, and sets `process`. Returns 0, or an errno value and leaves `process`
/// unchanged.
int spawn_group(const std::vector<std::string>& command, int input, int output, int& process);

/// The same, for a program that must not outlive the calling thread: it is killed when that ends,
/// even by SIGKILL. A program that cannot be started ends with code 127.
int spawn_bound(const std::vector<std::string>& command, int input, int output, int& process);

}  // namespace ke

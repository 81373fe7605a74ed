#pragma once
// Starts a program whose whole process group can be ended at once.

#include <string>
#include <vector>

namespace ke {

/// Starts `command` (looked up in PATH) in a process group of its own, with the descriptors as its
/// standard input and output, and sets `process`. 0, or an errno value and `process` untouched.
int spawn_group(const std::vector<std::string>& command, int input, int output, int& process);

}  // namespace ke

#pragma once
// Which builds of the program made the runs that are looked at together.

#include <map>
#include <string>
#include <vector>

#include "archive/session.hpp"

namespace ke {

/// Runs by the hash of a program that worked on them.
using RunsByProgram = std::map<std::string, std::size_t>;

void count_programs(const std::vector<SessionInfo>& sessions, RunsByProgram& runs);

/// A warning where there are several programs; "" = there is one.
std::string programs_warning(const RunsByProgram& runs);

}  // namespace ke

#pragma once
// Checks where a run file may be: the shared memory of WAL requires all processes on one host.

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace ke::sqlite {

/// Name of a network file system by its statfs magic, or "" for other file systems.
std::string_view network_file_system(std::uint64_t magic);

/// Whether the file lies on one.
bool lies_on_network(const std::string& path);

/// Whether run files can be written in the folder of `path`: it exists, is writable and local.
Result<void> check_folder(const std::string& path);

}  // namespace ke::sqlite

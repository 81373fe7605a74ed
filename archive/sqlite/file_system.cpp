#include "archive/sqlite/file_system.hpp"

#include <fmt/format.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace ke::sqlite {
namespace {

struct Magic {
  std::uint64_t number;
  std::string_view name;
};

// FUSE carries sshfs, s3fs, gluster and others; it does not reveal whether one is local.
constexpr std::array<Magic, 14> network_magics = {{{0x6969, "NFS"},
                                                   {0x517b, "SMB"},
                                                   {0xff534d42, "CIFS"},
                                                   {0xfe534d42, "SMB2"},
                                                   {0x65735546, "FUSE"},
                                                   {0x0bd00bd0, "Lustre"},
                                                   {0x47504653, "GPFS"},
                                                   {0x01021997, "9p"},
                                                   {0x5346414f, "AFS"},
                                                   {0x6b414653, "kAFS"},
                                                   {0x73757245, "Coda"},
                                                   {0x00c36400, "Ceph"},
                                                   {0x19830326, "BeeGFS"},
                                                   {0x20030528, "OrangeFS"}}};

}  // namespace

std::string_view network_file_system(std::uint64_t magic) {
  for (const Magic& known : network_magics) {
    if (known.number == magic) return known.name;
  }
  return "";
}

bool lies_on_network(const std::string& path) {
  struct statfs status {};
  return statfs(path.c_str(), &status) == 0 &&
         !network_file_system(static_cast<std::uint32_t>(status.f_type)).empty();
}

Result<void> check_folder(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  struct statfs status {};
  if (statfs(folder.c_str(), &status) != 0) {
    return Error{Failure::store, fmt::format("{}: folder '{}': {}", path, folder, strerror(errno))};
  }
  const auto name = network_file_system(static_cast<std::uint32_t>(status.f_type));
  if (!name.empty()) {
    return Error{Failure::store,
                 fmt::format("{}: lies on a network file system ({}), where SQLite can lose data; "
                             "choose a local folder and copy the file afterwards",
                             path, name)};
  }
  if (eaccess(folder.c_str(), W_OK | X_OK) != 0) {
    return Error{Failure::store,
                 fmt::format("{}: folder '{}' is not writable: {}", path, folder, strerror(errno))};
  }
  return {};
}

}  // namespace ke::sqlite

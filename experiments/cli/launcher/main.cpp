// Launcher of a bundle: starts the program of the same name with `.bin` appended. Uses the
// machine's C library if it is as new as the bundle's, so that objects from the machine's compiler
// load; else the bundle's, on machines with an older C library or none. Linked statically.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr const char* system_loader = "/lib64/ld-linux-x86-64.so.2";

/// Minor version of glibc, e.g. 36 for the loader of 2.36; 0 if it is no loader, or older than
/// 2.33, the first that states its version.
int glibc_minor(const std::string& loader) {
  const int file = open(loader.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat about {};
  if (file < 0 || fstat(file, &about) != 0) return 0;
  const auto size = static_cast<std::size_t>(about.st_size);
  void* mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (mapped == MAP_FAILED) return 0;
  const std::string_view bytes(static_cast<const char*>(mapped), size);
  constexpr std::string_view words = " release version 2.";
  const std::size_t at = bytes.find(words);
  const int minor =
      at == bytes.npos ? 0 : std::atoi(std::string(bytes.substr(at + words.size(), 4)).c_str());
  munmap(mapped, size);
  return minor;
}

std::string own_path() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace

int main(int argc, char** argv) {
  const std::string self = own_path();
  if (self.empty()) {
    std::fputs("the bundle finds its place through /proc, which is not mounted here\n", stderr);
    return 4;
  }
  const std::string root = parent_of(parent_of(self));
  std::string loader = root + "/glibc/ld-linux-x86-64.so.2";
  std::string libraries = root + "/lib";
  if (glibc_minor(system_loader) >= glibc_minor(loader)) {
    loader = system_loader;
  } else {
    libraries = root + "/glibc:" + libraries;
  }
  std::string program = self + ".bin", option = "--library-path";
  std::vector<char*> words{loader.data(), option.data(), libraries.data(), program.data()};
  words.insert(words.end(), argv + 1, argv + argc);
  words.push_back(nullptr);
  execv(words[0], words.data());
  std::fprintf(stderr, "%s cannot be started: %s\n", program.c_str(), std::strerror(errno));
  return 4;
}

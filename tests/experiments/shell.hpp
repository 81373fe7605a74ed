#pragma once
// Runs the binary like a shell, in its own folder.

#include <gmock/gmock.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace ke::test {

class Shell : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    temporary_.write(name, text);
  }
  /// Runs `kernelevolve <arguments>` (or, after a '!', the shell line) and stores both outputs.
  int call(const std::string& arguments) {
    const std::string line =
        arguments[0] == '!' ? arguments.substr(1) : KE_BINARY_DIR "/kernelevolve " + arguments;
    FILE* pipe = popen(("cd " + folder_ + " && (" + line + ") 2>&1").c_str(), "r");
    output_.clear();
    std::array<char, 4096> buffer{};
    while (const std::size_t got = fread(buffer.data(), 1, buffer.size(), pipe)) {
      output_.append(buffer.data(), got);
    }
    const int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  TemporaryFolder temporary_;
  std::string folder_ = temporary_.text();
  std::string output_;
};

}  // namespace ke::test

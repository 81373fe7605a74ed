// Starts one server for all tests of this program; exit code 77 where it cannot.

#include "tests/postgres/server.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "tests/support/temporary_folder.hpp"

namespace ke::test {
namespace {

constexpr int skipped = 77;
std::string url;  // NOLINT: set once, before the first test

struct Answer {
  int code = 0;
  std::string text;
};

Answer script(const std::string& words) {
  const std::string command =
      std::string(KE_SOURCE_DIR) + "/tests/support/postgres_server.sh " + words;
  FILE* pipe = popen(command.c_str(), "r");
  Answer answer;
  std::array<char, 512> part{};
  while (std::fgets(part.data(), part.size(), pipe) != nullptr) answer.text += part.data();
  answer.code = WEXITSTATUS(pclose(pipe));
  while (answer.text.ends_with('\n')) answer.text.pop_back();
  return answer;
}

}  // namespace

const std::string& server_url() { return url; }

}  // namespace ke::test

int main(int argc, char** argv) {
  using namespace ke::test;
  testing::InitGoogleTest(&argc, argv);
  const TemporaryFolder folder;
  // The server runs as another user, who must reach its folder.
  std::filesystem::permissions(folder.path(), std::filesystem::perms::others_exec,
                               std::filesystem::perm_options::add);
  const std::string place = folder.file("server");
  const Answer started = script("start " + place);
  if (started.code != 0) {
    std::cout << started.text << "\n";
    return started.code == skipped ? skipped : 1;
  }
  url = started.text;
  const int code = RUN_ALL_TESTS();
  script("stop " + place);
  return code;
}

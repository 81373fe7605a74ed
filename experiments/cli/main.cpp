// The only place that reads the environment.

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "experiments/cli/verb.hpp"

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string cache_folder() {
  if (const std::string xdg = environment("XDG_CACHE_HOME"); !xdg.empty())
    return xdg + "/kernelevolve";
  const std::string home = environment("HOME");
  return home.empty() ? "" : home + "/.cache/kernelevolve";
}

std::optional<std::string> variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace

int main(int argc, char** argv) {
  const bool terminal = isatty(STDERR_FILENO) == 1 && environment("TERM") != "dumb";
  ke::Console console{std::cout, std::cerr, terminal, cache_folder(), variable};
  return ke::run_command_line(std::vector<std::string>(argv + 1, argv + argc), console);
}

#include "fitness/host/python_home.hpp"

#include <sstream>

namespace ke {

PythonCommand python_command(const PythonHome& python, const std::string& server,
                             const std::vector<std::string>& files) {
  PythonCommand command;
  command.argv = {python.program, "-I", "-B", python.folder + "/" + server};
  command.argv.insert(command.argv.end(), files.begin(), files.end());
  command.readable = python.paths;
  command.readable.push_back(python.folder);
  command.readable.insert(command.readable.end(), files.begin(), files.end());
  // PyTorch reads these to identify the processor; older versions abort without them.
  command.readable.insert(command.readable.end(), {"/proc/cpuinfo", "/sys/devices/system/cpu"});
  return command;
}

bool is_python(const std::string& reference_file) { return reference_file.ends_with(".py"); }

bool uses_torch(const std::string& source) {
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    const bool imports = first == "import" || first == "from";
    if (imports && line.find("torch") != std::string::npos) return true;
  }
  return false;
}

}  // namespace ke

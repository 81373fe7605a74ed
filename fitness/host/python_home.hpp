#pragma once
// The Python that references and baselines in Python run in.

#include <string>
#include <vector>

namespace ke {

struct PythonHome {
  std::string program;             ///< path of the interpreter
  std::vector<std::string> paths;  ///< files and folders that it and its packages need
  std::string folder;              ///< of the programs that serve them
  std::string version;             ///< "python 3.11.2, torch 2.13.0"
  bool compiles = false;           ///< torch.compile may work
};

/// Files that PyTorch asks which processor it runs on; older ones abort where they are missing.
inline const std::vector<std::string> processor_files = {"/proc/cpuinfo",
                                                         "/sys/devices/system/cpu"};

}  // namespace ke

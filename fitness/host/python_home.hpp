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
  bool autotunes = false;          ///< it shall be a baseline in its mode max-autotune too
};

/// A program of PythonHome::folder, and what it may read.
struct PythonCommand {
  std::vector<std::string> argv;
  std::vector<std::string> readable;
};

/// Runs `server` with `files` as its arguments.
PythonCommand python_command(const PythonHome& python, const std::string& server,
                             const std::vector<std::string>& files);

/// Whether a reference is a Python file.
bool is_python(const std::string& reference_file);
/// Whether the text of such a file uses PyTorch; if not, it is of NumPy.
bool uses_torch(const std::string& source);

}  // namespace ke

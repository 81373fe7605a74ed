#pragma once
// The Python that runs references and baselines in Python.

#include <string>
#include <vector>

namespace ke {

struct PythonHome {
  std::string program;             ///< path of the interpreter
  std::vector<std::string> paths;  ///< files and folders that this Python and its packages need
  std::string folder;              ///< folder of the server programs
  std::string version;             ///< "python 3.11.2, torch 2.13.0"
  bool compiles = false;           ///< torch.compile may work
  bool autotunes = false;          ///< mode max-autotune is a further baseline
  bool tf32 = false;               ///< products of float32 may also be taken in TF32
};

/// A command that runs a program of PythonHome::folder, and the files it may read.
struct PythonCommand {
  std::vector<std::string> argv;
  std::vector<std::string> readable;
};

/// Runs `server` with `files` as its arguments.
PythonCommand python_command(const PythonHome& python, const std::string& server,
                             const std::vector<std::string>& files);

/// Whether a reference is a Python file.
bool is_python(const std::string& reference_file);
/// Whether a Python reference uses PyTorch rather than NumPy.
bool uses_torch(const std::string& source);

}  // namespace ke

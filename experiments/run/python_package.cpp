#include "experiments/run/python_package.hpp"

#include <fmt/format.h>

#include "core/text.hpp"
#include "experiments/run/places.hpp"

namespace ke {
namespace {

constexpr int exit_without_package = 3;  // as in kernelevolve/__main__.py
// $1: the folder of the package, $2: the interpreter. A PYTHONPATH of the user's stays.
constexpr const char* start =
    "export PYTHONPATH=\"$1${PYTHONPATH:+:$PYTHONPATH}\"; python=$2; shift 2; "
    "exec \"$python\" -m kernelevolve \"$@\"";

}  // namespace

Result<ProgramAnswer> run_python_package(const std::vector<std::string>& arguments,
                                         const std::string& input) {
  std::string lacking = "python3";
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    std::vector<std::string> command = {"sh", "-c", start, "sh", python_folder(), python};
    command.insert(command.end(), arguments.begin(), arguments.end());
    ProgramAnswer answer = run_program(command, input);
    if (answer.code == no_such_program) continue;
    if (answer.code != exit_without_package) return answer;
    lacking = std::string(trim(answer.output));
  }
  return Error{Failure::usage,
               fmt::format("{}: {} is missing: install the packages python3-pandas, python3-scipy, "
                           "python3-statsmodels and python3-matplotlib, or 'pip install {}'",
                           arguments.front(), lacking, python_folder())};
}

Result<int> print_python_package(const std::vector<std::string>& arguments, Console& console,
                                 const std::string& input) {
  KE_TRY(const ProgramAnswer answer, run_python_package(arguments, input));
  console.out << answer.output;
  return answer.code < 0 ? exit_code::bug : answer.code;
}

}  // namespace ke

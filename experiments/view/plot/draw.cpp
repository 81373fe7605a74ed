#include "experiments/view/plot/draw.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/run/child_program.hpp"
#include "experiments/run/places.hpp"

namespace ke {
namespace {

constexpr int exit_without_matplotlib = 3;  // as in draw.py
constexpr int exit_without_python = 127;

}  // namespace

const std::vector<std::string>& drawing_formats() {
  static const std::vector<std::string> formats = {"svg", "pdf", "png"};
  return formats;
}

Result<void> draw_figures(const std::string& manifest, const std::vector<std::string>& formats) {
  const std::string list = fmt::format("{}", fmt::join(formats, ","));
  // Debian's packages belong to /usr/bin/python3; another Python may come first in PATH.
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    const int code = run_program({python, drawing_folder() + "/draw.py", manifest, list}).code;
    if (code == 0) return {};
    if (code == exit_without_matplotlib || code == exit_without_python) continue;
    return Error{Failure::io, fmt::format("{}: {}/draw.py could not draw it (exit code {})",
                                          manifest, drawing_folder(), code)};
  }
  return Error{Failure::usage,
               fmt::format("{}: the tables are written, but to draw them matplotlib is missing: "
                           "install the package python3-matplotlib and repeat the command",
                           manifest)};
}

}  // namespace ke

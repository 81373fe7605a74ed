#include "experiments/study/check/reliability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/knob_space.hpp"
#include "core/random_stream.hpp"
#include "experiments/study/statistics.hpp"
#include "fitness/descriptors/descriptors.hpp"
#include "fitness/host/build/compiler.hpp"

namespace ke {
namespace {

// Edits that change a source's text but not the behaviour of its kernel.

/// A token of C++ text. Comments, literals and #include lines stay whole.
struct Token {
  std::string text;
  bool name = false;   ///< an identifier or keyword
  bool blank = false;  ///< white space, comment, literal or #include line
};

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::size_t end_of_line(std::string_view text) { return std::min(text.find('\n'), text.size()); }

/// Returns the position after a literal; `text` begins with its quote.
std::size_t end_of_literal(std::string_view text) {
  std::size_t at = 1;
  while (at < text.size() && text[at] != text[0]) at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

/// Length of the blank at the start of the text, or 0.
std::size_t blank_length(std::string_view text) {
  if (text.starts_with("//")) return end_of_line(text);
  if (text.starts_with("#include")) return end_of_line(text);
  if (text.starts_with("/*")) return std::min(text.find("*/", 2), text.size() - 2) + 2;
  if (text[0] == '"' || text[0] == '\'') return end_of_literal(text);
  return std::isspace(static_cast<unsigned char>(text[0])) != 0 ? 1 : 0;
}

template <typename Condition>
std::size_t length_while(std::string_view text, const Condition& condition) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), condition) -
                                  text.begin());
}

Token first_token(std::string_view text) {
  if (const std::size_t blank = blank_length(text); blank > 0) {
    return {std::string(text.substr(0, blank)), false, true};
  }
  if (starts_name(text[0])) {
    return {std::string(text.substr(0, length_while(text, continues_name))), true, false};
  }
  // A number with its suffix and digit separators is one token, so `1'000f` holds no name and no
  // quote.
  if (std::isdigit(static_cast<unsigned char>(text[0])) != 0) {
    const auto part = [](char c) { return continues_name(c) || c == '\'' || c == '.'; };
    return {std::string(text.substr(0, length_while(text, part)))};
  }
  for (const std::string_view pair : {"::", "->"}) {
    if (text.starts_with(pair)) return {std::string(pair)};
  }
  return {std::string(text.substr(0, 1))};
}

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  while (!text.empty()) {
    tokens.push_back(first_token(text));
    text.remove_prefix(tokens.back().text.size());
  }
  return tokens;
}

bool is_type(std::string_view word) {
  static constexpr std::array<std::string_view, 9> types = {
      "float", "double", "int", "bool", "auto", "size_t", "unsigned", "int32_t", "ptrdiff_t"};
  return std::find(types.begin(), types.end(), word) != types.end();
}

/// Unqualified names declared with a plain type; excludes members and library names.
std::set<std::string> renamable(const std::vector<Token>& code) {
  std::set<std::string> declared;
  std::set<std::string> kept = {"kernel", "operator", "const", "long", "int"};
  for (std::size_t i = 1; i < code.size(); ++i) {
    if (!code[i].name) continue;
    std::size_t before = i - 1;
    const std::string& last = code[before].text;
    if (last == "." || last == "->" || last == "::" || last == "define") kept.insert(code[i].text);
    while (before > 0 && (code[before].text == "*" || code[before].text == "&" ||
                          code[before].text == "const" || code[before].text == "__restrict__")) {
      --before;
    }
    if (is_type(code[before].text)) declared.insert(code[i].text);
    if (i + 1 < code.size() && code[i + 1].text == "::") kept.insert(code[i].text);
  }
  std::erase_if(declared, [&](const std::string& name) {
    return kept.contains(name) || is_type(name) || name.starts_with("__");
  });
  return declared;
}

std::string renamed(const std::string& source) {
  const std::vector<Token> tokens = tokens_of(source);
  std::vector<Token> code;
  std::copy_if(tokens.begin(), tokens.end(), std::back_inserter(code),
               [](const Token& token) { return !token.blank; });
  const std::set<std::string> names = renamable(code);
  std::string text;
  for (const Token& token : tokens) {
    text += token.text;
    if (token.name && names.contains(token.text)) text += "_other";
  }
  return text;
}

/// Adds comments behind the opening brace of the kernel's body.
std::string commented(const std::string& source) {
  const std::size_t kernel = source.find("kernel(");
  const std::size_t brace = source.find('{', std::min(kernel, source.size()));
  if (brace == source.npos) return source;
  return source.substr(0, brace + 1) + "\n  // A comment: float mul[4]; while (true) ++n;\n" +
         source.substr(brace + 1);
}

constexpr std::string_view dead_function = R"(
static inline __attribute__((unused)) float never_called_(const float* from, int count) {
  float sum = 0;
  for (int i = 0; i < count; ++i) sum += from[i] / 3.0f;
  return sum;
}
)";

/// Name and text of each edit: comment (added in the code), rename (local variables, parameters and
/// helper functions of plain types), dead_code (an unused function). Edits that find nothing to
/// change are left out.
std::vector<std::pair<std::string, std::string>> meaningless_edits(const std::string& source) {
  std::vector<std::pair<std::string, std::string>> edits = {
      {"comment", commented(source)},
      {"rename", renamed(source)},
      {"dead_code", source + std::string(dead_function)}};
  std::erase_if(edits, [&](const auto& edit) { return edit.second == source; });
  return edits;
}

constexpr std::uint64_t other_padding = 17;  // cache lines in front of code and constants
constexpr int draws = 20;                    // random draws per missing point

/// A kernel at one choice of its knobs and flags.
struct Point {
  std::string name;
  Kernel kernel;
  KernelSpace space;
};

/// Descriptor values of one kernel, before and after each change.
struct Described {
  std::vector<double> values;
  std::vector<std::pair<std::string, std::vector<double>>> changed;
};

/// Builds and describes kernels as the judge does.
class Workshop {
 public:
  Workshop(const Task& task, const Compiler& compiler) : task_(task), compiler_(compiler) {}

  Result<BuildOutput> compile(const Point& point, const std::string& source) const {
    BuildRequest request;
    request.source = source;
    request.include_dir = task_.include_dir;
    request.defines = point.space.macros(point.kernel);
    request.flags = point.space.flags(point.kernel);
    return compiler_.compile(request);
  }

  /// Links an object with padding and measures it.
  Result<std::vector<double>> describe(const std::string& object, std::uint64_t padding) const {
    KE_TRY(const BuildOutput linked, compiler_.link(object, padding));
    if (!linked.ok()) return Error{Failure::config, linked.reason + " " + linked.detail};
    DisassemblerOptions options;
    options.tools_dir = compiler_.options().tools_dir;
    options.level = compiler_.options().level;
    options.scratch = compiler_.options().scratch;
    KE_TRY(const Descriptors found, describe_binary(options, linked.shared_object));
    return found.values;
  }

 private:
  const Task& task_;
  const Compiler& compiler_;
};

std::string reason_of(const BuildOutput& output) {
  return fmt::format("{} {} {}", name(output.status), output.reason, output.detail);
}

/// Adds the descriptors of a changed source, or the reason why it does not build.
Result<void> describe_change(const Workshop& workshop, const Point& point,
                             const std::string& change, const std::string& source,
                             Described& described, ReliabilityReport& report) {
  KE_TRY(const BuildOutput output, workshop.compile(point, source));
  if (!output.ok()) {
    report.failures.push_back(fmt::format("{}, {}: {}", point.name, change, reason_of(output)));
    return {};
  }
  KE_TRY(auto values, workshop.describe(output.object, 0));
  described.changed.emplace_back(change, std::move(values));
  return {};
}

Result<std::optional<Described>> describe(const Workshop& workshop, const Point& point,
                                          ReliabilityReport& report) {
  const std::string& source = point.kernel.source;
  KE_TRY(const BuildOutput output, workshop.compile(point, source));
  if (!output.ok()) {
    report.failures.push_back(point.name + ": " + reason_of(output));
    return std::optional<Described>();
  }
  Described described;
  KE_TRY(described.values, workshop.describe(output.object, 0));
  KE_TRY(auto relinked, workshop.describe(output.object, other_padding));
  described.changed.emplace_back("relink", std::move(relinked));
  KE_TRY_VOID(describe_change(workshop, point, "rebuild", source, described, report));
  for (const auto& [change, text] : meaningless_edits(source)) {
    KE_TRY_VOID(describe_change(workshop, point, change, text, described, report));
  }
  return std::optional<Described>(std::move(described));
}

/// Returns the task's kernels at their defaults, then random points of each in turn.
std::vector<Point> choose_points(const Task& task, std::size_t wanted) {
  std::vector<Point> points;
  for (const auto& [name, source] : task.kernels) {
    auto space = parse_kernel_space(name, source);
    if (!space || points.size() == wanted) continue;
    Kernel kernel = space->defaults(name, source);
    points.push_back({name, std::move(kernel), *std::move(space)});
  }
  const std::size_t own = points.size();
  RandomStream random({.seed = 1, .purpose = Purpose::test});
  for (std::size_t i = 0; points.size() < wanted && i < wanted * draws; ++i) {
    const Point base = points[i % own];
    if (base.space.size() < 2) continue;
    auto kernel = base.space.sample(base.kernel, random);
    if (!kernel) continue;
    points.push_back({fmt::format("{} point {}", base.name, points.size() - own + 1),
                      *std::move(kernel), base.space});
  }
  return points;
}

std::size_t bin_of(const DescriptorAxis& axis, double value) {
  return static_cast<std::size_t>(std::upper_bound(axis.edges.begin(), axis.edges.end(), value) -
                                  axis.edges.begin());
}

void count_same_cells(const DescriptorAxis& axis, std::size_t index,
                      const std::vector<Described>& kernels, AxisReliability& reliability) {
  std::map<std::string, std::pair<int, int>> kept;  // change -> same, all
  std::pair<int, int> all;
  for (const Described& kernel : kernels) {
    const std::size_t bin = bin_of(axis, kernel.values[index]);
    for (const auto& [change, values] : kernel.changed) {
      const int same = bin_of(axis, values[index]) == bin ? 1 : 0;
      kept[change].first += same;
      ++kept[change].second;
      all.first += same;
      ++all.second;
    }
  }
  for (const auto& [change, count] : kept) {
    reliability.same_cell[change] = static_cast<double>(count.first) / count.second;
  }
  reliability.same_cell_overall = all.second == 0 ? 0 : static_cast<double>(all.first) / all.second;
}

double entropy_bits(const DescriptorAxis& axis, std::size_t index,
                    const std::vector<Described>& kernels) {
  std::map<std::size_t, double> count;
  for (const Described& kernel : kernels) ++count[bin_of(axis, kernel.values[index])];
  double bits = 0;
  for (const auto& [bin, number] : count) {
    const double share = number / static_cast<double>(kernels.size());
    bits -= share * std::log2(share);
  }
  return bits;
}

std::vector<double> values_of(std::size_t index, const std::vector<Described>& kernels) {
  std::vector<double> values;
  for (const Described& kernel : kernels) values.push_back(kernel.values[index]);
  return values;
}

std::vector<AxisReliability> summarise(const std::vector<Described>& kernels) {
  const auto axes = descriptor_axes();
  std::vector<AxisReliability> list;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    AxisReliability one;
    one.axis = axes[i].name;
    one.bins = axes[i].edges.size() + 1;
    count_same_cells(axes[i], i, kernels, one);
    one.entropy_bits = entropy_bits(axes[i], i, kernels);
    for (std::size_t k = 0; k < axes.size(); ++k) {
      if (k == i) continue;
      one.correlation[std::string(axes[k].name)] =
          statistics::rank_correlation(values_of(i, kernels), values_of(k, kernels));
    }
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace

Result<ReliabilityReport> measure_reliability(const Task& task, const CpuOptions& options,
                                              std::size_t points) {
  CompilerOptions tools;
  tools.tools_dir = options.tools_dir;
  tools.level = options.level;
  tools.gxx = options.compiler;
  tools.scratch = options.scratch;
  KE_TRY(const Compiler compiler, Compiler::create(tools));
  const Workshop workshop(task, compiler);
  ReliabilityReport report;
  report.task = task.name;
  std::vector<Described> kernels;
  for (const Point& point : choose_points(task, points)) {
    KE_TRY(auto described, describe(workshop, point, report));
    if (!described) continue;
    report.changes += described->changed.size();
    kernels.push_back(*std::move(described));
  }
  report.kernels = kernels.size();
  report.axes = summarise(kernels);
  return report;
}

}  // namespace ke

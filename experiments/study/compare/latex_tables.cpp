#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "experiments/study/compare/latex_text.hpp"
#include "experiments/study/compare/report.hpp"

namespace ke {
namespace {

// Sizes with which a table fits a page of two columns, though names take several lines.
constexpr std::size_t most_lines = 42;       // of a table
constexpr std::size_t letters_of_line = 14;  // of a name
constexpr std::size_t widest_letters = 8;    // "W" so often are as wide as a name
constexpr std::size_t widest_heading = 4;    // and as the heading of a column
constexpr std::size_t most_tasks = 24;
constexpr std::size_t most_narrow_arms = 4;  // beside each other in one column of the page
constexpr std::size_t most_columns = 10;     // and in both
constexpr std::size_t most_notes = 3;

/// One format for the numbers of a column or row: values are divided by a power of ten if they are
/// very large or small, and the largest has three significant digits.
struct NumberFormat {
  int exponent = 0;
  int decimals = 0;

  std::string text(double value) const {
    return latex_number(value / std::pow(10.0, exponent), decimals);
  }
  std::string unit() const { return exponent == 0 ? "" : fmt::format(" / $10^{{{}}}$", exponent); }
};

NumberFormat format_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  NumberFormat format;
  if (largest >= 10'000 || (largest > 0 && largest < 0.01)) {
    format.exponent = 3 * static_cast<int>(std::floor(std::log10(largest) / 3));
    largest /= std::pow(10.0, format.exponent);
  }
  format.decimals = largest >= 99.95 ? 0 : largest >= 9.995 ? 1 : largest >= 0.9995 ? 2 : 3;
  return format;
}

/// Intervals far wider than the values cost them all but one of their further decimals.
NumberFormat format_of(const std::vector<Figure>& figures) {
  std::vector<double> values, all;
  for (const Figure& figure : figures) {
    values.push_back(figure.value);
    for (const double value : {figure.value, figure.low, figure.high}) all.push_back(value);
  }
  NumberFormat format = format_of(all);
  const NumberFormat narrow = format_of(values);
  if (format.exponent == 0 && narrow.exponent == 0) {
    const bool thousands = std::ranges::any_of(
        all, [](double value) { return std::isfinite(value) && std::abs(value) >= 999.5; });
    format.decimals = std::min(narrow.decimals, format.decimals + (thousands ? 0 : 1));
  }
  return format;
}

std::string small(std::string_view text) { return fmt::format("{{\\scriptsize {}}}", text); }

std::string interval(const Figure& figure, const NumberFormat& format) {
  if (!std::isfinite(figure.low) || !std::isfinite(figure.high)) return small("unbounded");
  return small(fmt::format("[{}, {}]", format.text(figure.low), format.text(figure.high)));
}

std::string p_cell(const Contrast& c) {
  if (!c.p_adjusted) return "--";
  const std::string text = p_text(c.p_adjusted);
  return text.starts_with('<') ? "$<$" + text.substr(1) : text;
}

struct ArmFormats {
  NumberFormat mean;
  NumberFormat effect;
};

ArmFormats formats_of(const ArmComparison& comparison) {
  std::vector<Figure> means, effects;
  for (const ArmFigures& arm : comparison.arms) means.push_back(arm.mean);
  for (const Contrast& contrast : comparison.contrasts) effects.push_back(contrast.effect);
  return {format_of(means), format_of(effects)};
}

/// Two lines: values, and below them in small type their intervals and the conclusion.
std::string arm_rows(const std::string& label, const ArmFigures& arm, const Contrast* c,
                     const ArmFormats& formats) {
  const std::string name = fmt::format("{} & {}", label, formats.mean.text(arm.mean.value));
  const std::string below = fmt::format(" & {}", interval(arm.mean, formats.mean));
  if (c == nullptr) {
    return fmt::format("{} & -- & -- \\\\\n{} & & {} \\\\\n", name, below, small("reference"));
  }
  return fmt::format("{} & {} & {} \\\\\n{} & {} & {} \\\\\n", name,
                     formats.effect.text(c->effect.value), p_cell(*c), below,
                     interval(c->effect, formats.effect), small(to_string(c->conclusion)));
}

std::string_view label_of(const ComparisonReport& report, const std::string& arm) {
  const auto label = report.labels.find(arm);
  return label == report.labels.end() ? arm : label->second;
}

/// Sentences of compare name arms in quotes; readers of the table know their labels.
std::string with_labels(const ComparisonReport& report, std::string text) {
  for (const auto& [arm, label] : report.labels) {
    const std::string quoted = "'" + arm + "'", shown = "'" + label + "'";
    for (std::size_t at = text.find(quoted); at != text.npos;
         at = text.find(quoted, at + shown.size())) {
      text.replace(at, quoted.size(), shown);
    }
  }
  return text;
}

std::string arms_caption(const ComparisonReport& report) {
  const ArmComparison& comparison = report.comparison;
  std::string caption = caption_of(comparison, report.provenance, !report.exploratory.empty(),
                                   label_of(report, comparison.analysis.reference));
  const auto& notes = comparison.notes;
  for (std::size_t i = 0; i < std::min(notes.size(), most_notes); ++i) {
    caption += " Note: " + with_labels(report, notes[i]) + ".";
  }
  if (notes.size() > most_notes) {
    caption += fmt::format(" {} more notes are left out.", notes.size() - most_notes);
  }
  if (!report.missing.empty()) {
    caption += fmt::format(" {} planned runs are missing.", report.missing.size());
  }
  return latex_text(caption);
}

/// A remark ends with its line.
std::string remark(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < 0x20; }, ' ');
  return fmt::format("% {}\n", text);
}

/// `star`: as wide as both columns.
std::string table(std::string_view star, std::string_view columns, const std::string& rows,
                  const std::string& caption) {
  return fmt::format(
      "\\begin{{table{0}}}\n\\centering\\footnotesize\n\\setlength{{\\tabcolsep}}{{3pt}}\n"
      "\\begin{{tabular}}{{@{{}}{1}@{{}}}}\n\\toprule\n{2}\\bottomrule\n\\end{{tabular}}\n"
      "\\caption{{{3}}}\n\\end{{table{0}}}\n",
      star, columns, rows, caption);
}

std::string head(const ComparisonReport& report) {
  return remark("needs \\usepackage{booktabs}") + remark(configurations_text(report.provenance));
}

/// Captions of the parts after the first.
std::string continued(const std::string& caption, std::size_t part) {
  return part == 0 ? caption : "The table before, continued.";
}

/// First arms of the tables that hold all arms, then their number.
std::vector<std::size_t> arms_by_table(const ComparisonReport& report) {
  const auto& arms = report.comparison.arms;
  std::vector<std::size_t> first = {0};
  std::size_t lines = 0;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const std::size_t own = 2 + label_of(report, arms[i].name).size() / letters_of_line;
    if (lines + own > most_lines) {
      first.push_back(i);
      lines = 0;
    }
    lines += own;
  }
  first.push_back(arms.size());
  return first;
}

/// The tasks of some rows by the arms of some columns.
struct TaskBlock {
  std::vector<std::size_t> tasks;
  std::vector<std::size_t> arms;
};

std::vector<TaskBlock> blocks_of(const std::vector<std::size_t>& tasks, std::size_t arms) {
  const std::size_t wide = arms <= most_narrow_arms ? most_narrow_arms : most_columns;
  std::vector<TaskBlock> blocks;
  for (std::size_t first = 0; first < tasks.size(); first += most_tasks) {
    for (std::size_t left = 0; left < arms; left += wide) {
      TaskBlock& block = blocks.emplace_back();
      for (std::size_t t = first; t < std::min(tasks.size(), first + most_tasks); ++t) {
        block.tasks.push_back(tasks[t]);
      }
      for (std::size_t a = left; a < std::min(arms, left + wide); ++a) block.arms.push_back(a);
    }
  }
  return blocks;
}

/// Cells of one task, one per arm; the best of them, as shown, in bold.
std::vector<std::string> task_cells(const ArmComparison& comparison, std::size_t task,
                                    NumberFormat& format) {
  std::vector<double> values;
  for (const auto& row : comparison.by_task.means) {
    if (row[task]) values.push_back(*row[task]);
  }
  format = format_of(values);
  if (values.empty()) return std::vector<std::string>(comparison.arms.size(), "--");
  const double best =
      comparison.analysis.larger_is_better ? std::ranges::max(values) : std::ranges::min(values);
  std::vector<std::string> cells;
  for (const auto& row : comparison.by_task.means) {
    const std::string text = row[task] ? format.text(*row[task]) : "--";
    const bool first = text == format.text(best);
    cells.push_back(first ? fmt::format("\\textbf{{{}}}", text) : text);
  }
  return cells;
}

std::string block_rows(const ComparisonReport& report, const TaskBlock& block, double width) {
  const ArmComparison& comparison = report.comparison;
  std::string rows = "task";
  for (const std::size_t arm : block.arms) {
    rows += fmt::format(" & \\parbox[b]{{{:.3f}\\linewidth}}{{\\raggedleft\\scriptsize {}}}", width,
                        latex_cell(label_of(report, comparison.arms[arm].name), widest_heading));
  }
  rows += " \\\\\n\\midrule\n";
  for (const std::size_t task : block.tasks) {
    NumberFormat format;
    const auto cells = task_cells(comparison, task, format);
    rows += fmt::format("\\raggedright {}{}",
                        latex_cell(comparison.by_task.tasks[task], widest_letters), format.unit());
    for (const std::size_t arm : block.arms) rows += " & " + cells[arm];
    rows += " \\\\\n";
  }
  return rows;
}

std::string_view reduction_words(const Analysis& analysis) {
  if (analysis.reduce == Reduction::median) return "Median";
  if (analysis.reduce == Reduction::iqm) return "Interquartile mean";
  return analysis.log_scale ? "Geometric mean" : "Mean";
}

std::string tasks_caption(const ComparisonReport& report) {
  const Analysis& analysis = report.comparison.analysis;
  return latex_text(
      fmt::format("{}{} {} of the runs of each arm on each task, the best of a task in bold. {}.",
                  exploratory_text(!report.exploratory.empty()), reduction_words(analysis),
                  endpoint_words(analysis), runs_text(report.provenance)));
}

/// Positions of the tasks in by_task, in the order of the runs.
std::vector<std::size_t> task_order(const ComparisonReport& report) {
  const auto& planned = report.provenance.tasks;
  const auto& tasks = report.comparison.by_task.tasks;
  std::vector<std::size_t> order(tasks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    return std::ranges::find(planned, tasks[i]) - planned.begin();
  });
  return order;
}

}  // namespace

std::string latex_of(const ComparisonReport& report) {
  const ArmComparison& comparison = report.comparison;
  const ArmFormats formats = formats_of(comparison);
  const std::string names =
      fmt::format("arm & mean{} & {}{} & {} \\\\\n\\midrule\n", formats.mean.unit(),
                  comparison.analysis.log_scale ? "ratio" : "difference", formats.effect.unit(),
                  comparison.analysis.holm ? "$p_{\\mathrm{Holm}}$" : "$p$");
  std::string text = head(report);
  const auto first = arms_by_table(report);
  for (std::size_t part = 0; part + 1 < first.size(); ++part) {
    std::string rows = names;
    for (std::size_t i = first[part]; i < first[part + 1]; ++i) {
      const ArmFigures& arm = comparison.arms[i];
      const auto contrast = std::ranges::find(comparison.contrasts, arm.name, &Contrast::arm);
      rows += arm_rows("\\raggedright " + latex_cell(label_of(report, arm.name), widest_letters),
                       arm, contrast == comparison.contrasts.end() ? nullptr : &*contrast, formats);
    }
    text += table("", "p{0.3\\columnwidth}rrr", rows, continued(arms_caption(report), part));
  }
  return text;
}

std::string latex_by_task(const ComparisonReport& report) {
  const ArmComparison& comparison = report.comparison;
  const bool narrow = comparison.arms.size() <= most_narrow_arms;
  const double name = narrow ? 0.3 : 0.2, width = narrow ? 0.145 : 0.066;
  std::string text = head(report);
  std::size_t part = 0;
  for (const TaskBlock& block : blocks_of(task_order(report), comparison.arms.size())) {
    text +=
        table(narrow ? "" : "*",
              fmt::format("p{{{:.2f}\\linewidth}}{}", name, std::string(block.arms.size(), 'r')),
              block_rows(report, block, width), continued(tasks_caption(report), part++));
  }
  return text;
}

}  // namespace ke

#include "experiments/study/check/report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "experiments/text/table.hpp"
#include "fitness/content/admit.hpp"

namespace ke {
namespace {

constexpr std::size_t longest_detail = 90;

/// Shortens a message for the table; --json prints all of it.
std::string shortened(const std::string& text) {
  return text.size() <= longest_detail ? text : text.substr(0, longest_detail) + " ...";
}

/// Returns the other axis with the largest absolute rank correlation.
std::string nearest_axis(const AxisReliability& axis) {
  std::string nearest;
  double most = -1;
  for (const auto& [name, rho] : axis.correlation) {
    if (!rho || std::abs(*rho) <= most) continue;
    most = std::abs(*rho);
    nearest = fmt::format("{:.2f} {}", *rho, name);
  }
  return nearest;
}

}  // namespace

Json json_of(const Task& task, const Admission& admission) {
  Json json = {
      {"ok", admission.admitted()},
      {"judged", admission.judged},
      {"task", task.name},
      {"problems", admission.problems},
      {"notes", admission.notes},
      {"naive_margin", admission.naive_margin < 0 ? Json(nullptr) : Json(admission.naive_margin)},
      {"admitted_margin", admitted_ratio},
      {"kernels", Json::array()}};
  for (const AdmissionLine& line : admission.lines) {
    json["kernels"].push_back({{"kernel", line.kernel},
                               {"trivial", line.trivial},
                               {"drawn", line.drawn},
                               {"verdict", to_string(line.verdict)},
                               {"detail", line.detail}});
  }
  return json;
}

std::string text_of(const Task& task, const Admission& admission) {
  Table table({"kernel", "must", "verdict", "detail"});
  for (const AdmissionLine& line : admission.lines) {
    table.add({line.kernel,
               line.drawn     ? "-"
               : line.trivial ? "fail"
                              : "pass",
               std::string(to_string(line.verdict)), shortened(line.detail)});
  }
  std::string text = table.text() + "\n";
  for (const std::string& note : admission.notes) text += "note: " + note + "\n";
  for (const std::string& problem : admission.problems) text += "problem: " + problem + "\n";
  return text + fmt::format("task {} is {}\n", task.name,
                            admission.admitted()
                                ? (admission.judged ? "admitted" : "compiled, not judged")
                                : "NOT admitted");
}

Json json_of(const ReliabilityReport& report) {
  Json json = {{"task", report.task},
               {"kernels", report.kernels},
               {"changes", report.changes},
               {"failures", report.failures},
               {"axes", Json::array()}};
  for (const AxisReliability& axis : report.axes) {
    Json correlation = Json::object();
    for (const auto& [name, rho] : axis.correlation) {
      correlation[name] = rho ? Json(*rho) : Json(nullptr);
    }
    json["axes"].push_back({{"axis", axis.axis},
                            {"bins", axis.bins},
                            {"same_cell", axis.same_cell_overall},
                            {"same_cell_by_change", axis.same_cell},
                            {"entropy_bits", axis.entropy_bits},
                            {"correlation", std::move(correlation)}});
  }
  return json;
}

std::string text_of(const ReliabilityReport& report) {
  Table table({"axis", "bins", "same cell", "entropy", "nearest axis, rank correlation"});
  for (const AxisReliability& axis : report.axes) {
    table.add({axis.axis, std::to_string(axis.bins),
               fmt::format("{:.1f} %", 100 * axis.same_cell_overall),
               fmt::format("{:.2f} of {:.2f} bit", axis.entropy_bits,
                           std::log2(static_cast<double>(axis.bins))),
               nearest_axis(axis)});
  }
  std::string text =
      fmt::format("{}: {} kernels, {} rebuilt, re-linked or edited without meaning\n", report.task,
                  report.kernels, report.changes);
  for (const std::string& failure : report.failures) text += "failure: " + failure + "\n";
  return text + table.text();
}

}  // namespace ke

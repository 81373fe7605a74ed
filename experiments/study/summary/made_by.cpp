#include "experiments/study/summary/made_by.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "archive/recorded_facts.hpp"
#include "archive/run_devices.hpp"
#include "core/search/migration.hpp"
#include "experiments/text/table.hpp"

namespace ke {
bool is_ok_kernel(const Candidate& c) {
  return c.outcome != OutcomeKind::no_child && c.evaluation.verdict == Verdict::ok &&
         c.evaluation.interval.low > 0;
}

Result<CandidatePtr> best_parent(const RunReader& reader, const Candidate& child) {
  CandidatePtr best;
  if (child.operator_name == migration_operator) return best;
  for (const Ancestor& ancestor : child.ancestors) {
    if (ancestor.role != ParentRole::parent) continue;
    KE_TRY(const auto view, reader.candidate(ancestor.id));
    if (!view || !is_ok_kernel(*view->candidate)) continue;
    const bool better = !best || view->candidate->evaluation.objective > best->evaluation.objective;
    if (better) best = view->candidate;
  }
  return best;
}

namespace {

constexpr std::size_t short_digits = 12;

auto identity(const Maker& m) { return std::tie(m.host, m.hardware, m.device, m.program); }

Result<std::string> device_of(const RunReader& reader) {
  KE_TRY(const auto devices, recorded_devices(reader));
  if (devices.empty()) {
    KE_TRY(const auto only, recorded_evaluator(reader));
    return only ? only->device_class : std::string();
  }
  std::set<std::string> classes;
  for (const DeviceRecord& device : devices) classes.insert(device.info.device_class);
  return fmt::format("{}", fmt::join(classes, ", "));
}

std::vector<Maker> sorted(std::vector<Maker> makers) {
  std::ranges::sort(makers,
                    [](const Maker& a, const Maker& b) { return identity(a) < identity(b); });
  return makers;
}

}  // namespace

Result<std::vector<Maker>> makers_of(const RunReader& reader) {
  KE_TRY(const auto sessions, reader.sessions());
  KE_TRY(const std::string device, device_of(reader));
  std::vector<Maker> makers;
  for (const SessionInfo& s : sessions) {
    const Maker one{s.host, s.hardware, device, s.binary_hash, 1};
    const auto same = [&](const Maker& other) { return identity(other) == identity(one); };
    if (std::ranges::none_of(makers, same)) makers.push_back(one);
  }
  return makers;
}

Result<std::vector<Maker>> makers_of(const std::vector<std::string>& files) {
  std::vector<Maker> makers;
  for (const std::string& file : files) {
    const auto reader = RunReader::open(file);
    if (!reader) continue;  // of a process that died while it made the file
    KE_TRY(const auto more, makers_of(**reader));
    add_makers(makers, more);
  }
  return makers;
}

void add_makers(std::vector<Maker>& makers, const std::vector<Maker>& more) {
  for (const Maker& one : more) {
    const auto known = std::ranges::find_if(
        makers, [&](const Maker& other) { return identity(other) == identity(one); });
    if (known == makers.end()) {
      makers.push_back(one);
    } else {
      known->runs += one.runs;
    }
  }
}

std::string table_of(const std::vector<Maker>& makers) {
  Table table({"made by", "runs", "hardware", "device", "program"});
  for (const Maker& m : sorted(makers)) {
    table.add({m.host, std::to_string(m.runs), m.hardware, m.device.empty() ? "-" : m.device,
               m.program.substr(0, short_digits)});
  }
  return table.text();
}

std::string warning_of(const std::vector<Maker>& makers) {
  RunsByProgram programs;
  for (const Maker& m : makers) programs[m.program] += static_cast<std::size_t>(m.runs);
  return programs_warning(programs);
}

Json json_of(const std::vector<Maker>& makers) {
  return column(sorted(makers), [](const Maker& m) {
    return Json{{"host", m.host},
                {"hardware", m.hardware},
                {"device", m.device},
                {"program", m.program},
                {"runs", m.runs}};
  });
}

void count_programs(const std::vector<SessionInfo>& sessions, RunsByProgram& runs) {
  std::set<std::string> own;
  for (const SessionInfo& session : sessions) own.insert(session.binary_hash);
  for (const std::string& program : own) ++runs[program];
}

std::string programs_warning(const RunsByProgram& runs) {
  if (runs.size() < 2) return {};
  std::string list;
  for (const auto& [program, count] : runs) {
    list += fmt::format("{}{} of {}", list.empty() ? "" : ", ", count, program.substr(0, 12));
  }
  return fmt::format(
      "the runs stem from {} programs ({}): differences between them may be those of the programs",
      runs.size(), list);
}

}  // namespace ke

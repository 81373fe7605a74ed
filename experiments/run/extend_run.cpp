#include "experiments/run/extend_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <set>

#include "archive/recorded_facts.hpp"
#include "archive/run_reader.hpp"
#include "archive/sqlite_store.hpp"
#include "core/text.hpp"
#include "experiments/run/run_files.hpp"
#include "experiments/run/stored_run.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

/// Lines of a configuration that an extension must not change.
std::set<std::string> fixed_lines(std::string_view canonical) {
  std::set<std::string> lines;
  for (const std::string_view line : split(canonical, '\n')) {
    const bool free = std::ranges::any_of(
        std::initializer_list<std::string_view>{"budget.", "safety.", "verify."},
        [&](std::string_view section) { return line.starts_with(section); });
    if (!free) lines.emplace(line);
  }
  return lines;
}

/// Maps the limit 0, which means none, to the largest integer.
std::int64_t room(std::int64_t limit) {
  return limit == 0 ? std::numeric_limits<std::int64_t>::max() : limit;
}

bool is_larger(const Limits& now, const Limits& before) {
  const auto larger = [](std::int64_t a, std::int64_t b) { return room(a) > room(b); };
  const auto smaller = [](std::int64_t a, std::int64_t b) { return room(a) < room(b); };
  if (smaller(now.evaluations, before.evaluations)) return false;
  if (smaller(now.proposals, before.proposals)) return false;
  return larger(now.evaluations, before.evaluations) || larger(now.proposals, before.proposals);
}

}  // namespace

Result<Experiment> extended_experiment(const RunHeader& header, const std::string& file,
                                       const std::vector<std::string>& overrides) {
  KE_TRY(const Experiment before, stored_experiment(header, file, {}));
  KE_TRY(Experiment now, changed_experiment(header, file, overrides));
  if (now.numeric) {
    return Error{Failure::usage, file + ": a finished numeric search cannot go on"};
  }
  if (fixed_lines(now.canonical_text) != fixed_lines(before.canonical_text)) {
    return Error{Failure::usage,
                 fmt::format("{}: is done; it goes on with other values of 'budget', 'safety' and "
                             "'verify' alone, anything else is a new run",
                             file)};
  }
  if (!is_larger(now.limits, before.limits)) {
    return Error{Failure::usage,
                 fmt::format("{}: is done; only a larger budget than evaluations = {}, proposals = "
                             "{} (0: no limit) lets it go on",
                             file, before.limits.evaluations, before.limits.proposals)};
  }
  return now;
}

std::string extended_file(const std::string& file) {
  const fs::path path(file);
  return (path.parent_path() / (path.stem().string() + ".extended")).string() +
         std::string(run_suffix);
}

Result<void> create_extension(const RunRequest& request, const std::string& finished) {
  KE_TRY_VOID(create_run(request));
  KE_TRY(auto opened, RunReader::open(finished));
  const std::shared_ptr<const RunReader> reader = std::move(opened);
  KE_TRY(const auto jobs, recorded_jobs(*reader));
  KE_TRY(const auto exchanges, recorded_exchanges(reader));
  const auto facts = recorded_facts(reader);
  KE_TRY(const auto store, SqliteStore::open(request.file, {.full_sync = false}));
  for (const Job& job : jobs) {
    KE_TRY(const auto fact, facts->find(job.key));
    if (fact) KE_TRY_VOID(store->facts().append(job, *fact));
  }
  for (const Exchange& exchange : exchanges) KE_TRY_VOID(store->facts().append(exchange));
  return {};
}

}  // namespace ke

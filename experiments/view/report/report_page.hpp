#pragma once
// Writes a report: one self-contained HTML file.

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// Data of the runs that the RUN arguments mean: {format, version, runs, made_by, warning, arms}.
/// `runs` holds run_data() of each. Beyond 1 GB of run files in total, later runs come without
/// their kernels. `unreadable` says why files among several are no runs.
Result<Json> report_data(const std::vector<std::string>& arguments);

/// Contents of a page. It opens at once with thousands of runs, because it unpacks a run only when
/// that is looked at.
struct PageData {
  Json index;                     ///< report_data(), but `runs` holds run_index() of each
  std::vector<std::string> runs;  ///< run_data() of each: JSON, compressed by zlib, in base64
};
Result<PageData> page_data(const std::vector<std::string>& arguments);

/// The page with its data embedded. Data stays text: `<` is escaped, and the page's policy only
/// runs its own script. Error if the page was not built.
Result<std::string> report_page(const PageData& data);

/// The page for a server that it asks for changes; `index` is JSON text.
Result<std::string> live_page(std::string_view index);

}  // namespace ke

#pragma once
// Writes a report: one self-contained HTML file.

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// Data of the page for the runs that the RUN arguments mean. Beyond 200,000 proposals in total,
/// later runs come without their kernels.
Result<Json> report_data(const std::vector<std::string>& arguments);

/// The page with its data embedded. Data stays text: `<` is escaped, and the page's policy only
/// runs its own script. Error if the page was not built.
Result<std::string> report_page(const Json& data);

/// The page for a server that it polls for changes; `data` is JSON text.
Result<std::string> live_page(std::string_view data);

}  // namespace ke

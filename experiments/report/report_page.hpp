#pragma once
// A report: one HTML file that holds everything it shows.

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "experiments/cli/json.hpp"

namespace ke {

/// Everything that the page shows of the runs that RUN arguments mean. Beyond 200,000 proposals in
/// all, later runs come without their kernels.
Result<Json> report_data(const std::vector<std::string>& arguments);

/// The page with its data inside. Whatever the data holds, it stays text: `<` is written as an
/// escape, and the page's policy runs no script but its own. Error when the page was not built.
Result<std::string> report_page(const Json& data);

/// The same for a page that is served and asks its server for news; `data` is JSON text.
Result<std::string> live_page(std::string_view data);

}  // namespace ke

#include "experiments/view/report/report_page.hpp"

#include "experiments/page/page.hpp"
#include "experiments/run/places.hpp"
#include "experiments/run/run_files.hpp"
#include "experiments/study/compare/made_by.hpp"
#include "experiments/view/report/data/arms.hpp"
#include "experiments/view/report/data/run_data.hpp"

namespace ke {
namespace {

constexpr std::int64_t most_proposals = 200'000;

constexpr std::string_view no_network = "default-src 'none'";

/// Escapes JSON for HTML, so that its texts cannot end the element or open a comment.
std::string escaped_for_html(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

Result<PageTemplate> built_page() {
  const PageTemplate page = page_template();
  if (page.head.empty()) {
    return Error{Failure::usage,
                 "this kernelevolve was built without its page, which nodejs and npm bundle from "
                 "packages of npm's registry: configure and build again where they can be reached"};
  }
  return page;
}

}  // namespace

Result<Json> report_data(const std::vector<std::string>& arguments) {
  KE_TRY(const auto files, find_run_files(arguments));
  Json data = {{"format", 1}, {"version", version()}, {"runs", Json::array()}};
  std::int64_t proposals = 0;
  std::vector<Maker> makers;
  for (const std::string& file : files) {
    KE_TRY(const auto reader, RunReader::open(file));
    KE_TRY(const auto own, makers_of(*reader));
    add_makers(makers, own);
    KE_TRY(const RunCounters counters, reader->counters());
    proposals += counters.proposals;
    KE_TRY(Json run, run_data(*reader, proposals <= most_proposals || files.size() == 1));
    data["runs"].push_back(std::move(run));
  }
  data["made_by"] = json_of(makers);
  data["warning"] = warning_of(makers);
  if (files.size() > 1) {
    KE_TRY(data["arms"], arms_data(arguments));
  }
  return data;
}

Result<std::string> report_page(const Json& data) {
  KE_TRY(const PageTemplate page, built_page());
  std::string text(page.head);
  text += escaped_for_html(json_text(data));
  return text.append(page.tail);
}

Result<std::string> live_page(std::string_view data) {
  KE_TRY(const PageTemplate page, built_page());
  std::string text(page.head);
  const std::size_t policy = text.find(no_network);
  KE_CHECK(policy != text.npos);
  text.insert(policy + no_network.size(), "; connect-src 'self'");
  text += escaped_for_html(data);
  return text.append(page.tail);
}

}  // namespace ke

#include "experiments/view/report/report_page.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <zlib.h>

#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "experiments/page/page.hpp"
#include "experiments/run/places.hpp"
#include "experiments/run/python_package.hpp"
#include "experiments/run/run_files.hpp"
#include "experiments/study/summary/made_by.hpp"
#include "experiments/text/json.hpp"
#include "experiments/view/report/data/run_data.hpp"
#include "experiments/view/report/on_all_cores.hpp"

namespace ke {
namespace {

// Several runs side by side, grouped by arm.

/// {"arms": [names], "of": {file: arm}, "missing": [...], "comparison": {...} or null, "why_not":
/// "..."}. The comparison is that of `compare`; `why_not` says why there is none.
Result<Json> arms_data(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"arms", "--"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  KE_TRY(const ProgramAnswer answer, run_python_package(words));
  if (answer.code == 0) return parse_json(answer.output);
  return Error{Failure::usage,
               fmt::format("report: the Python package failed (exit code {})", answer.code)};
}

constexpr std::uintmax_t most_bytes = 1'000'000'000;

/// One run of a report.
struct PageRun {
  Json index;
  std::string data;
  std::vector<Maker> makers;
};
using Form = std::function<void(Json data, PageRun& run)>;  ///< sets index and data

Result<PageRun> read_page_run(const std::string& file, bool kernels, const Form& form) {
  KE_TRY(std::shared_ptr<const RunReader> reader, RunReader::open(file));
  PageRun run;
  KE_TRY(run.makers, makers_of(*reader));
  KE_TRY(Json data, run_data(reader, kernels));
  form(std::move(data), run);
  return run;
}

Result<PageData> read_report(const std::vector<std::string>& arguments, const Form& form) {
  KE_TRY(const auto found, find_run_files(arguments));
  std::vector<bool> kernels;  // whether each comes with them
  std::uintmax_t bytes = 0;
  for (const std::string& file : found) {
    std::error_code none;
    const auto own = std::filesystem::file_size(file, none);
    bytes += none ? 0 : own;
    kernels.push_back(bytes <= most_bytes || found.size() == 1);
  }
  std::future<Result<Json>> arms;  // read by another program meanwhile
  if (found.size() > 1) arms = std::async(std::launch::async, arms_data, arguments);
  PageData data{{{"format", 1}, {"version", version()}, {"runs", Json::array()}}, {}};
  std::vector<Maker> makers;
  Json unreadable = Json::array();
  const auto read = [&](std::size_t i) { return read_page_run(found[i], kernels[i], form); };
  for (auto& one : on_all_cores(found.size(), read)) {
    if (!*one && one->error().failure == Failure::store && found.size() > 1) {
      unreadable.push_back(one->error().message);
      continue;
    }
    KE_TRY(PageRun run, *std::move(one));
    add_makers(makers, run.makers);
    data.index["runs"].push_back(std::move(run.index));
    data.runs.push_back(std::move(run.data));
  }
  if (data.index["runs"].empty()) return Error{Failure::store, unreadable.front()};
  data.index["unreadable"] = std::move(unreadable);
  data.index["made_by"] = json_of(makers);
  data.index["warning"] = warning_of(makers);
  if (arms.valid()) {
    KE_TRY(data.index["arms"], arms.get());
  }
  return data;
}

/// Compressed in the format of zlib, in base64.
std::string packed(const std::string& text) {
  uLongf size = compressBound(text.size());
  std::vector<Bytef> bytes(size);
  const int failed = compress2(bytes.data(), &size, reinterpret_cast<const Bytef*>(text.data()),
                               text.size(), Z_DEFAULT_COMPRESSION);
  KE_CHECK(failed == Z_OK);
  std::string base64((size + 2) / 3 * 4 + 1, '\0');  // the encoder ends it with a zero
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(base64.data()), bytes.data(),
                  static_cast<int>(size));
  base64.pop_back();
  return base64;
}

// Puts data into the page.

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
  const auto whole = [](Json data, PageRun& run) { run.index = std::move(data); };
  KE_TRY(PageData data, read_report(arguments, whole));
  return std::move(data.index);
}

Result<PageData> page_data(const std::vector<std::string>& arguments) {
  return read_report(arguments, [](const Json& data, PageRun& run) {
    run.index = run_index(data);
    run.data = packed(json_text(data));
  });
}

Result<std::string> report_page(const PageData& data) {
  KE_TRY(const PageTemplate page, built_page());
  std::string text(page.head);
  text += escaped_for_html(json_text(data.index));
  const std::size_t end = page.tail.rfind("</body>");
  text += page.tail.substr(0, end);
  for (const std::string& run : data.runs) {  // after the script, which draws the index meanwhile
    text.append("<script type=\"text/plain\" class=\"run\">").append(run).append("</script>\n");
  }
  return text.append(page.tail.substr(end));
}

Result<std::string> live_page(std::string_view index) {
  KE_TRY(const PageTemplate page, built_page());
  std::string text(page.head);
  const std::size_t policy = text.find(no_network);
  KE_CHECK(policy != text.npos);
  text.insert(policy + no_network.size(), "; connect-src 'self'");
  text += escaped_for_html(index);
  return text.append(page.tail);
}

}  // namespace ke

#include "operators/llm/client/endpoint.hpp"

namespace ke {
namespace {

bool is_this_machine(std::string_view host) {
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

}  // namespace

std::string url_problem(std::string_view url, bool with_key) {
  const bool secure = url.starts_with("https://");
  if (!secure && !url.starts_with("http://")) return "is no http or https URL";
  const std::string_view rest = url.substr(secure ? 8 : 7);
  const std::string_view authority = rest.substr(0, rest.find('/'));
  if (rest.find_first_of("?# \r\n\t") != std::string_view::npos) {
    return "has a query, a fragment or white space";
  }
  if (authority.find('@') != std::string_view::npos) return "holds credentials";
  const std::size_t host_end =
      authority.starts_with('[') ? authority.find(']') + 1 : authority.find(':');
  const std::string_view host = authority.substr(0, host_end);
  if (host.empty()) return "names no host";
  if (with_key && !secure && !is_this_machine(host)) {
    return "would send the key unencrypted to another machine";
  }
  return "";
}

}  // namespace ke

#include <fmt/format.h>

#include "operators/llm/client/http_client.hpp"
#include "operators/llm/providers/registry.hpp"
#include "operators/llm/sampling.hpp"

namespace ke {
namespace {

using std::chrono::milliseconds;

void read_key(Params& params, const LlmWorld& world, LlmEndpoint& endpoint) {
  const std::string variable =
      params.text("key_variable", "", "environment variable that holds the API key; \"\" = none");
  const std::string file =
      params.text("key_file", "", "file of mode 0600 that holds the API key; \"\" = none");
  if (!variable.empty() && !file.empty()) params.fail("key_file", "stands beside key_variable");
  if (!file.empty()) {
    endpoint.key = [file] { return ApiKey::from_file(file); };
    endpoint.key_origin = "key file " + file;
  }
  if (variable.empty()) return;
  endpoint.key_origin = "environment variable " + variable;
  endpoint.key = [variable, read = world.variable]() -> Result<ApiKey> {
    std::optional<std::string> value = read ? read(variable) : std::nullopt;
    if (!value) {
      return Error{Failure::provider, fmt::format("environment variable {} is not set", variable)};
    }
    return ApiKey::take(*value, "environment variable " + variable);
  };
}

void read_price(Params& params, LlmEndpoint& endpoint) {
  const std::string kind = params.choice("price", "list", {"list", "given", "free"},
                                         "where the price comes from: the list of known models, "
                                         "price_* here, or the model costs nothing");
  constexpr Range<double> range{0, 10'000};
  Price given;
  given.input = params.real("price_input", 0, range, "dollars per million input tokens");
  given.output = params.real("price_output", 0, range, "dollars per million output tokens");
  given.cached = params.real("price_cached", given.input, range,
                             "dollars per million input tokens from the provider's cache");
  given.cache_written = params.real("price_cache_written", given.input, range,
                                    "dollars per million input tokens to the provider's cache");
  if (kind == "given") endpoint.price = given;
  if (kind != "list" || endpoint.model.empty()) return;
  if (const auto listed = list_price(endpoint.model)) {
    endpoint.price = *listed;
  } else {
    params.fail("model", fmt::format("the price of '{}' is not listed: say 'price: given' or "
                                     "'price: free'",
                                     endpoint.model));
  }
}

void read_traits(Params& params, LlmEndpoint& endpoint) {
  const ModelTraits known = traits_of(endpoint.model);
  endpoint.traits.accepts =
      params.texts("accepts", known.accepts,
                   "which of temperature, top_p, seed and effort this model takes; giving another "
                   "one is an error. Empty: not known, all that are given are sent");
  endpoint.traits.native_tools =
      params.added("native").choice("tools", "native", {"native", "text"},
                                    "whether tools of a conversation go into the request's own "
                                    "field, or stand in the prompt alone") == "native";
  endpoint.traits.max_tokens_name =
      params.choice("max_tokens_name", known.max_tokens_name,
                    {"max_completion_tokens", "max_tokens"}, "name of the limit in openai_chat");
}

/// Reports settings that the endpoint's API or model does not have.
void check_sampling(Params& params, const LlmEndpoint& endpoint,
                    const std::map<std::string, std::string>& settings) {
  const auto dialect = find_component(dialects(), endpoint.dialect)->make();
  for (const auto& [name, value] : settings) {
    if (dialect->place_of(name).empty()) {
      params.fail(name,
                  fmt::format("= {}: the API {} has no such setting", value, endpoint.dialect));
    } else if (!endpoint.traits.takes(name)) {
      params.fail(name, fmt::format("= {}: the model {} does not take it, as far as is known; "
                                    "'accepts' says what it takes",
                                    value, endpoint.model));
    }
  }
}

/// Missing options of an endpoint come from `fallback`. The key does so only if both have the same
/// address, so that no key goes to an address it was not given for.
LlmEndpoint read_endpoint(Params& params, const LlmWorld& world, const LlmEndpoint& fallback) {
  LlmEndpoint endpoint;
  endpoint.dialect = params.choice("dialect", fallback.dialect, component_names(dialects()),
                                   "API that the address speaks");
  const bool same_api = endpoint.dialect == fallback.dialect;
  endpoint.base_url = params.text("base_url", same_api ? fallback.base_url : "",
                                  "address up to the version; \"\" = the provider's own");
  endpoint.model = params.required_text("model", "name of the model at its provider");
  endpoint.api_version = params.text("api_version", same_api ? fallback.api_version : "",
                                     "of anthropic_messages; \"\" = 2023-06-01");
  endpoint.stream = params.flag("stream", fallback.stream, "whether the reply comes in pieces");
  endpoint.max_output_tokens = params.integer("max_output_tokens", fallback.max_output_tokens,
                                              {1, 10'000'000}, "for requests that do not say");
  if (same_api && endpoint.base_url == fallback.base_url) {
    endpoint.key = fallback.key;
    endpoint.key_origin = fallback.key_origin;
  }
  read_key(params, world, endpoint);
  read_price(params, endpoint);
  read_traits(params, endpoint);
  const std::string problem =
      endpoint.base_url.empty() ? "" : url_problem(endpoint.base_url, endpoint.key != nullptr);
  if (!problem.empty()) params.fail("base_url", problem);
  return endpoint;
}

milliseconds duration(Params& params, std::string_view name, std::string_view fallback,
                      std::string_view doc) {
  return milliseconds(params.duration_ms(name, fallback, {1, 86'400'000}, doc));
}

HttpClientOptions read_options(Params& params, const LlmWorld& world) {
  HttpClientOptions options;
  options.endpoints.push_back(read_endpoint(params, world, {}));
  for (Params& other : params.sections("fail_over", "endpoints to try when this one fails")) {
    options.endpoints.push_back(read_endpoint(other, world, {}));
  }
  const auto settings = read_sampling(params);
  for (const LlmEndpoint& endpoint : options.endpoints) check_sampling(params, endpoint, settings);
  const LlmEndpoint first = options.endpoints.front();
  for (Params& member : params.section("ensemble").sections("models")) {
    options.endpoints.push_back(read_endpoint(member, world, first));
    auto own = read_sampling(member);
    own.insert(settings.begin(), settings.end());
    check_sampling(member, options.endpoints.back(), own);
  }
  options.concurrency = static_cast<std::size_t>(
      params.integer("concurrency", 8, {1, 1024}, "calls that may be under way at once"));
  options.tries =
      static_cast<int>(params.integer("tries", 6, {1, 20}, "of a call at one endpoint"));
  options.backoff.base = duration(params, "pause", "1s", "longest first pause between tries");
  options.backoff.longest = duration(params, "longest_pause", "60s", "bound of doubled pauses");
  options.stall = duration(params, "stall", "2min", "how long nothing may come of a reply");
  options.total = duration(params, "deadline", "20min", "of a call with all its tries");
  options.http.connect = duration(params, "connect", "10s", "how long to connect");
  options.http.ca_file = params.text("ca_file", "", "certificates to trust; \"\" = the system's");
  options.http.proxy = params.text("proxy", "", "URL of an HTTP proxy; \"\" = none");
  options.budget = world.budget;
  return options;
}

}  // namespace

std::vector<LlmEndpoint> asked_models(Params& params) {
  if (params.text("kind", "", "who answers") != "http") return {};
  std::vector<LlmEndpoint> endpoints = read_options(params, {}).endpoints;
  const std::size_t own = params.section("ensemble").sections("models").size();
  if (own == 0) return {endpoints.front()};
  endpoints.erase(endpoints.begin(), endpoints.end() - static_cast<std::ptrdiff_t>(own));
  return endpoints;
}

std::unique_ptr<LlmClient> make_http_provider(Params& params, const LlmWorld& world) {
  return std::make_unique<HttpLlmClient>(read_options(params, world));
}

}  // namespace ke

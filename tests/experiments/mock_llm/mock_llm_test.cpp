// Tests the HTTP client and the mock server together, over real connections.
#include "tests/support/mock_llm/mock_llm.hpp"

#include <cmath>

#include "operators/llm/client/http_client.hpp"
#include "tests/conformance/llm_client_conformance.hpp"
#include "tests/operators/llm/client_kit.hpp"

namespace ke {
namespace {

using namespace test;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

const std::string canary = "sk-canary-51f0c2";

std::unique_ptr<MockLlm> serve(MockScript script, milliseconds stall = milliseconds(10'000)) {
  MockOptions options;
  options.token = canary;
  options.script = std::move(script);
  options.stall = stall;
  auto mock = MockLlm::start(std::move(options));
  EXPECT_TRUE(mock) << mock.error().message;
  return *std::move(mock);
}

MockScript saying(const std::string& text) { return mock_queue({{MockFault::none, text}}); }
MockScript failing(MockFault fault) { return mock_queue({{fault, "words of a reply"}}); }
/// Fails once, then answers.
MockScript recovering(MockFault fault) {
  return mock_queue({{fault, "cut me"}, {MockFault::none, "fine"}});
}

LlmEndpoint endpoint(const MockLlm& mock, const std::string& dialect, bool stream = true,
                     const std::string& key = canary) {
  LlmEndpoint endpoint;
  endpoint.dialect = dialect;
  endpoint.base_url = mock.base_url(dialect);
  endpoint.model = "m";
  endpoint.stream = stream;
  endpoint.max_output_tokens = 100;
  endpoint.price = {1, 0.1, 1.25, 10, ""};
  endpoint.key = [key] {
    std::string text = key;
    return ApiKey::take(text, "the test");
  };
  return endpoint;
}

HttpClientOptions quick(std::vector<LlmEndpoint> endpoints) {
  HttpClientOptions options;
  options.endpoints = std::move(endpoints);
  options.backoff = {milliseconds(2), milliseconds(10)};
  options.tries = 3;
  return options;
}

/// A client with its own mock.
class MockedClient final : public LlmClient {
 public:
  MockedClient(const std::string& dialect, bool stream)
      : mock_(serve(saying("hello"))), client_(quick({endpoint(*mock_, dialect, stream)})) {}
  Result<void> submit(const Digest& key, const LlmRequest& request) override {
    return client_.submit(key, request);
  }
  std::vector<Exchange> poll(milliseconds wait) override { return client_.poll(wait); }
  void cancel(const Digest& key) override { client_.cancel(key); }

 private:
  std::unique_ptr<MockLlm> mock_;
  HttpLlmClient client_;
};

std::vector<LlmClientCase> cases() {
  std::vector<LlmClientCase> all;
  for (const std::string& dialect : component_names(dialects())) {
    for (const bool stream : {false, true}) {
      all.push_back({dialect + (stream ? "_stream" : "_whole"), [dialect, stream] {
                       return std::make_unique<MockedClient>(dialect, stream);
                     }});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Http, LlmClientConformance, testing::ValuesIn(cases()),
                         [](const auto& c) { return c.param.name; });

class MockedDialect : public testing::TestWithParam<std::string> {
 protected:
  Exchange answer(MockScript script, bool stream, bool stalls = false) const {
    const auto mock = serve(std::move(script));
    HttpClientOptions options = quick({endpoint(*mock, GetParam(), stream)});
    if (stalls) options.stall = milliseconds(200);
    HttpLlmClient client(std::move(options));
    return ask(client, asking("a question"));
  }
};

TEST_P(MockedDialect, tells_text_model_tokens_and_dollars) {
  const std::string text = "line\n\"quoted\" \xc3\xa9\xe2\x82\xac " + std::string(500, 'x');
  for (const bool stream : {false, true}) {
    const Exchange exchange = answer(saying(text), stream);
    EXPECT_EQ(exchange.status, "ok");
    EXPECT_EQ(exchange.reply, text);
    EXPECT_EQ(exchange.model_returned, "m-mock");
    EXPECT_EQ(exchange.input_tokens, 3);  // "a question\n" has 11 bytes
    EXPECT_EQ(exchange.output_tokens, static_cast<std::int64_t>(text.size() / 4 + 1));
    EXPECT_DOUBLE_EQ(exchange.dollars,
                     (3.0 + 10.0 * static_cast<double>(exchange.output_tokens)) * 1e-6);
  }
}

TEST_P(MockedDialect, recovers_from_passing_faults) {
  for (const MockFault fault :
       {MockFault::server_error, MockFault::unavailable, MockFault::overloaded, MockFault::cut,
        MockFault::stalled, MockFault::truncated_json, MockFault::wrong_type}) {
    for (const bool stream : {false, true}) {
      const Exchange exchange = answer(recovering(fault), stream, fault == MockFault::stalled);
      EXPECT_EQ(exchange.status, "ok") << mock_fault_names()[static_cast<std::size_t>(fault)];
      EXPECT_EQ(exchange.reply, "fine");
    }
  }
}

TEST_P(MockedDialect, names_faults_that_stay) {
  const std::map<MockFault, std::string> expected{
      {MockFault::server_error, "http_500"},    {MockFault::unavailable, "http_503"},
      {MockFault::overloaded, "http_529"},      {MockFault::no_credit, "provider_refused"},
      {MockFault::stalled, "stalled"},          {MockFault::cut, "cut"},
      {MockFault::truncated_json, "bad_reply"}, {MockFault::wrong_type, "bad_reply"},
      {MockFault::huge, "bad_reply"},           {MockFault::empty, "empty"},
      {MockFault::refusal, "refused"},          {MockFault::slow, "ok"}};
  for (const auto& [fault, status] : expected) {
    for (const bool stream : {false, true}) {
      EXPECT_EQ(answer(failing(fault), stream, fault == MockFault::stalled).status, status)
          << mock_fault_names()[static_cast<std::size_t>(fault)] << " stream " << stream;
    }
  }
}

TEST_P(MockedDialect, what_the_server_bills_without_a_report_is_booked_as_an_estimate) {
  const std::map<MockFault, std::string> faults{{MockFault::cut, "cut"},
                                                {MockFault::stalled, "stalled"},
                                                {MockFault::empty, "empty"},
                                                {MockFault::refusal, "refused"}};
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "word ";
  for (const auto& [fault, status] : faults) {
    const auto mock = serve(mock_queue({{fault, text}}));
    LlmBudget budget;
    HttpClientOptions options = quick({endpoint(*mock, GetParam())});
    options.stall = milliseconds(200);
    options.budget = &budget;
    HttpLlmClient client(std::move(options));
    const Exchange exchange = ask(client, asking(std::string(8000, 'p')));
    EXPECT_EQ(exchange.status, status);
    const MockCounts billed = mock->counts();
    const double dollars =
        1e-6 * static_cast<double>(billed.input_tokens + 10 * billed.output_tokens);
    EXPECT_GT(dollars, 0.001);
    EXPECT_NEAR(exchange.dollars, dollars, 0.05 * dollars) << status;
    EXPECT_EQ(budget.spent().picodollars, std::llround(exchange.dollars * 1e12));
    EXPECT_EQ(exchange.detail.estimated, status == "cut" || status == "stalled") << status;
  }
}

TEST_P(MockedDialect, a_reply_that_quotes_the_key_is_kept_without_it) {
  const Exchange exchange = answer(failing(MockFault::echo), true);
  EXPECT_NE(exchange.reply.find("a question"), std::string::npos);
  EXPECT_NE(exchange.reply.find("[key]"), std::string::npos);
  EXPECT_EQ(encode(exchange).find("canary"), std::string::npos);
}

TEST_P(MockedDialect, a_wrong_key_is_refused_without_being_quoted) {
  const auto mock = serve(saying("x"));
  HttpLlmClient client(quick({endpoint(*mock, GetParam(), true, canary + "-wrong")}));
  const Exchange exchange = ask(client, asking("a question"));
  EXPECT_EQ(exchange.status, "provider_refused");
  EXPECT_TRUE(exchange.reply.starts_with("status 401")) << exchange.reply;
  EXPECT_EQ(encode(exchange).find("canary"), std::string::npos);
  EXPECT_EQ(exchange.dollars, 0);
  EXPECT_EQ(mock->counts().unauthorised, 1);
}

INSTANTIATE_TEST_SUITE_P(Dialects, MockedDialect, testing::ValuesIn(component_names(dialects())),
                         [](const auto& c) { return c.param; });

TEST(HttpLlmClient, loses_nothing_and_charges_once_among_500_requests_with_faults) {
  const std::vector<MockFault> faults{MockFault::rate_limit,  MockFault::server_error,
                                      MockFault::unavailable, MockFault::overloaded,
                                      MockFault::slow,        MockFault::stalled,
                                      MockFault::cut,         MockFault::refusal,
                                      MockFault::empty,       MockFault::truncated_json,
                                      MockFault::wrong_type};
  MockOptions mock_options;
  mock_options.token = canary;
  mock_options.script = mock_faults(0.3, 7, faults, saying("a kernel of some length"));
  mock_options.stall = milliseconds(10'000);
  mock_options.slow = milliseconds(5);
  mock_options.retry_after_s = 0;
  const auto mock = *MockLlm::start(std::move(mock_options));
  constexpr std::int64_t limit = 500 * 40;
  LlmBudget budget({limit, std::int64_t{1} << 60});
  HttpClientOptions options = quick({endpoint(*mock, "openai_chat")});
  options.tries = 12;
  options.stall = milliseconds(1000);
  options.budget = &budget;
  HttpLlmClient client(std::move(options));
  for (int i = 0; i < 500; ++i) {
    const LlmRequest request = asking("request " + std::to_string(i));
    ASSERT_TRUE(client.submit(digest_of(request), request));
  }
  std::map<Digest, Exchange> got;
  const auto deadline = steady_clock::now() + std::chrono::seconds(120);
  while (got.size() < 500 && steady_clock::now() < deadline) {
    for (Exchange& exchange : client.poll(milliseconds(50))) {
      ASSERT_TRUE(got.emplace(exchange.key, exchange).second) << "an exchange came twice";
    }
    ASSERT_LE(budget.spent().tokens + budget.reserved().tokens, limit);
  }
  ASSERT_EQ(got.size(), 500u);
  LlmCost paid;
  std::map<std::string, int> statuses;
  int exact = 0;
  for (const auto& [key, exchange] : got) {
    ++statuses[exchange.status];
    paid.tokens += exchange.input_tokens + exchange.output_tokens;
    paid.picodollars += std::llround(exchange.dollars * 1e12);
    const auto prompt = static_cast<std::int64_t>(exchange.request.messages[0].text.size() + 1);
    EXPECT_GE(exchange.input_tokens, prompt / 4 + 1);
    exact += exchange.input_tokens == prompt / 4 + 1 ? 1 : 0;
  }
  EXPECT_EQ(statuses["ok"] + statuses["refused"] + statuses["empty"], 500);
  EXPECT_GT(statuses["ok"], 450);
  EXPECT_EQ(budget.spent(), paid);
  EXPECT_EQ(budget.reserved(), LlmCost{});
  EXPECT_GT(exact, 400);  // broken attempts cost tokens, error statuses do not
  EXPECT_GE(mock->counts().answered, 500);
  RecordProperty("attempts", static_cast<int>(client.attempts()));
}

TEST(HttpLlmClient, exhausted_credit_stops_all_calls_at_once) {
  const auto mock = serve(failing(MockFault::no_credit));
  HttpClientOptions options = quick({endpoint(*mock, "openai_chat"), endpoint(*mock, "gemini")});
  options.concurrency = 2;
  HttpLlmClient client(std::move(options));
  for (int i = 0; i < 50; ++i) {
    const LlmRequest request = asking(std::to_string(i));
    ASSERT_TRUE(client.submit(digest_of(request), request));
  }
  for (const Exchange& exchange : answers_of(client, 50)) {
    EXPECT_EQ(exchange.status, "provider_refused");
    EXPECT_EQ(exchange.dollars, 0);
  }
  EXPECT_LE(mock->counts().requests, 2);
  EXPECT_EQ(ask(client, asking("later")).status, "provider_refused");
  EXPECT_LE(mock->counts().requests, 2);
}

TEST(HttpLlmClient, waits_as_long_as_the_server_says_and_sends_fewer_at_once) {
  const auto mock = serve(recovering(MockFault::rate_limit));
  HttpLlmClient client(quick({endpoint(*mock, "openai_chat")}));
  const auto start = steady_clock::now();
  EXPECT_EQ(ask(client, asking("x")).status, "ok");
  EXPECT_GE(steady_clock::now() - start, milliseconds(1000));
  EXPECT_EQ(client.window(), 4u);
}

TEST(HttpLlmClient, goes_to_the_next_endpoint_when_tries_are_used_up) {
  const auto broken = serve(failing(MockFault::server_error));
  const auto sound = serve(saying("fine"));
  HttpLlmClient client(quick({endpoint(*broken, "openai_chat"), endpoint(*sound, "gemini")}));
  EXPECT_EQ(ask(client, asking("x")).reply, "fine");
  EXPECT_EQ(broken->counts().requests, 3);
  EXPECT_EQ(sound->counts().requests, 1);
}

TEST(HttpLlmClient, gives_up_at_the_deadline_of_a_call) {
  const auto mock = serve(failing(MockFault::stalled));
  HttpClientOptions options = quick({endpoint(*mock, "openai_chat")});
  options.total = milliseconds(200);
  HttpLlmClient client(std::move(options));
  EXPECT_EQ(ask(client, asking("x")).status, "timeout");
  EXPECT_EQ(mock->counts().requests, 1);
}

TEST(HttpLlmClient, poll_does_not_wait_longer_than_asked) {
  const auto mock = serve(failing(MockFault::stalled));
  HttpLlmClient client(quick({endpoint(*mock, "openai_chat")}));
  ASSERT_TRUE(client.submit(Digest{}, asking("x")));
  const auto start = steady_clock::now();
  EXPECT_TRUE(client.poll(milliseconds(0)).empty());
  EXPECT_TRUE(client.poll(milliseconds(50)).empty());
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(HttpLlmClient, a_request_beyond_the_budget_is_not_sent) {
  const auto mock = serve(saying("fine"));
  LlmBudget budget({250, std::int64_t{1} << 60});
  HttpClientOptions options = quick({endpoint(*mock, "openai_chat")});
  options.budget = &budget;
  HttpLlmClient client(std::move(options));
  for (int i = 0; i < 2; ++i) {
    const LlmRequest request = asking(std::to_string(i));
    ASSERT_TRUE(client.submit(digest_of(request), request));
  }
  for (const Exchange& exchange : answers_of(client, 2)) EXPECT_EQ(exchange.status, "ok");
  EXPECT_EQ(ask(client, asking(std::string(300, 'x'))).status, "budget_exhausted");
  EXPECT_EQ(mock->counts().requests, 2);
  EXPECT_EQ(budget.reserved(), LlmCost{});
}

TEST(HttpLlmClient, a_setting_that_the_model_refuses_is_named) {
  const auto mock = serve(failing(MockFault::bad_parameter));
  HttpLlmClient client(quick({endpoint(*mock, "openai_chat")}));
  LlmRequest request = asking("x");
  request.settings = {{"seed", "1"}};
  EXPECT_EQ(ask(client, request).status, "ok");
  request.settings["temperature"] = "0.5";
  const Exchange refused = ask(client, request);
  EXPECT_EQ(refused.status, "provider_refused");
  EXPECT_NE(refused.reply.find("not with this model; the model does not take llm.temperature"),
            std::string::npos)
      << refused.reply;
}

/// Asks one after the other until the budget ends; returns the dollars that the answers cost.
double spend(HttpLlmClient& client, std::size_t prompt_bytes) {
  double dollars = 0;
  for (int i = 0; i < 1000; ++i) {
    const Exchange exchange =
        ask(client, asking(std::to_string(i) + std::string(prompt_bytes, 'p')));
    if (exchange.status == budget_exhausted) {
      EXPECT_NE(exchange.reply.find("that is left"), std::string::npos) << exchange.reply;
      return dollars;
    }
    dollars += exchange.dollars;
  }
  ADD_FAILURE() << "the budget never ended";
  return dollars;
}

TEST(HttpLlmClient, a_budget_is_used_up_to_the_last_answer_that_it_pays_for) {
  struct Case {
    std::size_t prompt_bytes, reply_bytes;
    double limit;
  };
  // An answer may have 10,000 tokens, $0.1, but has far fewer.
  for (const Case& one : {Case{8000, 1200, 0.02}, Case{8000, 1200, 0.2}, Case{40'000, 400, 0.15},
                          Case{800, 12'000, 0.2}, Case{80, 40, 0.02}}) {
    const auto mock = serve(saying(std::string(one.reply_bytes, 'k')));
    LlmBudget budget({std::int64_t{1} << 60, std::llround(one.limit * 1e12)});
    LlmEndpoint to = endpoint(*mock, "openai_chat");
    to.max_output_tokens = 10'000;
    HttpClientOptions options = quick({to});
    options.budget = &budget;
    HttpLlmClient client(std::move(options));
    const double each = 1e-6 * static_cast<double>(one.prompt_bytes / 4 + one.reply_bytes / 4 * 10);
    const double dollars = spend(client, one.prompt_bytes);
    EXPECT_LE(dollars, one.limit);
    EXPECT_GE(dollars, std::min(0.95 * one.limit, one.limit - 1.5 * each))
        << one.prompt_bytes << " " << one.reply_bytes << " " << one.limit;
  }
}

TEST(HttpLlmClient, reasoning_without_an_answer_is_kept_apart) {
  const auto mock = serve(failing(MockFault::reasoning));
  for (const bool stream : {false, true}) {
    HttpLlmClient client(quick({endpoint(*mock, "openai_chat", stream)}));
    const Exchange exchange = ask(client, asking("x"));
    EXPECT_EQ(exchange.status, "empty");
    EXPECT_EQ(exchange.reply, "");
    EXPECT_EQ(exchange.detail.reasoning, "words of a reply");
    EXPECT_GT(exchange.output_tokens, 0);
  }
}

TEST(HttpLlmClient, a_stream_that_stays_open_after_its_end_is_an_answer_at_once) {
  const auto mock = serve(failing(MockFault::held), milliseconds(10'000));
  for (const std::string& dialect : component_names(dialects())) {
    HttpLlmClient client(quick({endpoint(*mock, dialect)}));
    const auto start = steady_clock::now();
    const Exchange exchange = ask(client, asking("x"));
    EXPECT_EQ(exchange.status, "ok") << dialect;
    EXPECT_EQ(exchange.reply, "words of a reply");
    EXPECT_LT(steady_clock::now() - start, milliseconds(2500)) << dialect;
  }
}

TEST(HttpLlmClient, a_cancelled_call_is_charged_at_a_guess) {
  const auto mock = serve(failing(MockFault::stalled));
  LlmBudget budget;
  HttpClientOptions options = quick({endpoint(*mock, "openai_chat")});
  options.budget = &budget;
  HttpLlmClient client(std::move(options));
  const LlmRequest request = asking(std::string(300, 'x'));
  ASSERT_TRUE(client.submit(digest_of(request), request));
  client.poll(milliseconds(20));
  client.cancel(digest_of(request));
  EXPECT_GE(budget.spent().tokens, 75);  // and what arrived of 16 bytes
  EXPECT_LE(budget.spent().tokens, 77);
  EXPECT_EQ(budget.reserved(), LlmCost{});
  EXPECT_TRUE(client.poll(milliseconds(10)).empty());
}

TEST(HttpProvider, reads_its_options_and_asks_with_a_key_from_the_surroundings) {
  const auto mock = serve(saying("fine"));
  LlmWorld world;
  world.variable = [](const std::string& name) {
    return name == "KE_KEY" ? std::optional<std::string>(canary) : std::nullopt;
  };
  const auto client = client_of(options({{"kind", scalar("http")},
                                         {"dialect", scalar("anthropic_messages")},
                                         {"base_url", scalar(mock->base_url("anthropic_messages"))},
                                         {"model", scalar("claude-sonnet-4-20250514")},
                                         {"key_variable", scalar("KE_KEY")}}),
                                world);
  const Exchange exchange = ask(*client, asking("x"));
  EXPECT_EQ(exchange.reply, "fine");
  EXPECT_GT(exchange.dollars, 0);
}

}  // namespace
}  // namespace ke

#include "operators/llm/client/http_client.hpp"
#include "tests/operators/llm/client_kit.hpp"

namespace ke {
namespace {

using namespace test;

std::string first_error(std::map<std::string, Node> values) {
  values["kind"] = scalar("http");
  const Node node = options(values);
  ParamLog log;
  Params params(&node, "llm", log);
  make_llm_client(params, {});
  return log.errors.empty() ? "" : log.errors.front();
}

TEST(HttpProvider, needs_a_model_with_a_known_or_given_price) {
  EXPECT_NE(first_error({}).find("model"), std::string::npos);
  EXPECT_NE(first_error({{"model", scalar("mine")}}).find("the price of 'mine' is not listed"),
            std::string::npos);
  EXPECT_EQ(first_error({{"model", scalar("gpt-5-mini")}}), "");
  EXPECT_EQ(first_error({{"model", scalar("mine")}, {"price", scalar("free")}}), "");
  EXPECT_EQ(first_error({{"model", scalar("mine")},
                         {"price", scalar("given")},
                         {"price_input", scalar("2.5")},
                         {"price_output", scalar("10")}}),
            "");
}

TEST(HttpProvider, refuses_addresses_that_would_give_the_key_away) {
  EXPECT_NE(first_error({{"model", scalar("gpt-5-mini")},
                         {"base_url", scalar("http://example.com/v1")},
                         {"key_variable", scalar("KE_KEY")}})
                .find("unencrypted"),
            std::string::npos);
  EXPECT_NE(first_error({{"model", scalar("gpt-5-mini")}, {"base_url", scalar("file:///x")}})
                .find("no http or https URL"),
            std::string::npos);
}

TEST(HttpProvider, a_key_that_is_not_there_is_an_error_at_the_first_request) {
  const auto client = client_of(options({{"kind", scalar("http")},
                                         {"model", scalar("gpt-5-mini")},
                                         {"base_url", scalar("http://127.0.0.1:1/v1")},
                                         {"key_variable", scalar("KE_KEY")}}));
  const auto submitted = client->submit(Digest{}, asking("x"));
  ASSERT_FALSE(submitted);
  EXPECT_EQ(submitted.error().message, "environment variable KE_KEY is not set");
}

TEST(HttpProvider, an_unreachable_address_is_named_and_costs_nothing) {
  LlmBudget budget({1'000'000, 1'000'000});
  const LlmWorld world{{}, &budget};
  const auto client = client_of(options({{"kind", scalar("http")},
                                         {"model", scalar("m")},
                                         {"price", scalar("free")},
                                         {"tries", scalar("2")},
                                         {"pause", scalar("1ms")},
                                         {"base_url", scalar("http://127.0.0.1:1/v1")}}),
                                world);
  const Exchange exchange = ask(*client, asking("x"));
  EXPECT_EQ(exchange.status, "provider_unreachable");
  EXPECT_TRUE(exchange.reply.starts_with("http://127.0.0.1:1/v1: ")) << exchange.reply;
  EXPECT_NE(exchange.reply.find("(2 tries)"), std::string::npos) << exchange.reply;
  EXPECT_EQ(budget.spent(), LlmCost{});
  EXPECT_EQ(budget.reserved(), LlmCost{});
}

TEST(HttpProvider, a_model_that_no_endpoint_has_is_an_error) {
  const auto client =
      client_of(options({{"kind", scalar("http")}, {"model", scalar("gpt-5-mini")}}));
  LlmRequest request = asking("x");
  request.model = "other";
  const auto submitted = client->submit(Digest{}, request);
  ASSERT_FALSE(submitted);
  EXPECT_EQ(submitted.error().message, "no endpoint has the model 'other'");
}

}  // namespace
}  // namespace ke

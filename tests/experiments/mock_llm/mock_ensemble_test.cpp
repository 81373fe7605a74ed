// Models of an ensemble: the endpoint and the key of their requests.
#include "tests/operators/llm/client_kit.hpp"
#include "tests/support/mock_llm/mock_llm.hpp"

namespace ke {
namespace {

using namespace test;

std::unique_ptr<MockLlm> serve_with_token(const std::string& token) {
  MockOptions mock;
  mock.token = token;
  mock.script = mock_queue({{MockFault::none, "fine"}});
  auto started = MockLlm::start(std::move(mock));
  EXPECT_TRUE(started) << started.error().message;
  return *std::move(started);
}

Node member(const std::string& model, std::map<std::string, Node> more = {}) {
  more["model"] = scalar(model);
  more["price"] = scalar("free");
  return options(more);
}

Exchange ask_model(LlmClient& client, const std::string& model) {
  LlmRequest request = asking("hello");
  request.model = model;
  return ask(client, request);
}

TEST(HttpEnsemble, members_share_the_address_with_its_key_unless_they_name_another) {
  const auto mine = serve_with_token("sk-mine");
  const auto open = serve_with_token("");  // refuses requests that carry a key
  Node models;
  models.kind = Node::Kind::list;
  models.items = {member("two"),
                  member("four", {{"base_url", scalar(mine->base_url("openai_chat"))}}),
                  member("three", {{"base_url", scalar(open->base_url("openai_chat"))}})};
  LlmWorld world;
  world.variable = [](const std::string&) { return std::string("sk-mine"); };
  const auto client = client_of(options({{"kind", scalar("http")},
                                         {"model", scalar("one")},
                                         {"price", scalar("free")},
                                         {"base_url", scalar(mine->base_url("openai_chat"))},
                                         {"key_variable", scalar("KE_KEY")},
                                         {"ensemble.models", models}}),
                                world);
  for (const char* model : {"one", "two", "three", "four"}) {
    const Exchange exchange = ask_model(*client, model);
    EXPECT_EQ(exchange.status, "ok") << model;
    EXPECT_EQ(exchange.model_returned, std::string(model) + "-mock");
  }
  EXPECT_EQ(mine->counts().answered, 3);
  EXPECT_EQ(open->counts().answered, 1);
  EXPECT_EQ(open->counts().unauthorised, 0);
}

}  // namespace
}  // namespace ke

// Tool calls over real connections, in the format of every API.
#include "operators/llm/client/http_client.hpp"
#include "operators/llm/tools/tool_table.hpp"
#include "tests/operators/llm/client_kit.hpp"
#include "tests/support/mock_llm/mock_llm.hpp"

namespace ke {
namespace {

const std::string tool_token = "sk-tools-0c51";
const std::string spoken =
    "I check it.\n```tool\n{\"tool\":\"check\",\"arguments\":{}}\n```\n```source\nint a;\n```\n";

class ToolServer : public testing::TestWithParam<std::string> {
 protected:
  void serve(MockScript script) {
    MockOptions options;
    options.token = tool_token;
    options.script = std::move(script);
    auto mock = MockLlm::start(std::move(options));
    ASSERT_TRUE(mock) << mock.error().message;
    mock_ = *std::move(mock);
  }

  HttpClientOptions client_options(bool stream) const {
    LlmEndpoint endpoint;
    endpoint.dialect = GetParam();
    endpoint.base_url = mock_->base_url(GetParam());
    endpoint.model = "m";
    endpoint.stream = stream;
    endpoint.key = [] {
      std::string text = tool_token;
      return ApiKey::take(text, "the test");
    };
    HttpClientOptions options;
    options.endpoints = {endpoint};
    options.backoff = {std::chrono::milliseconds(2), std::chrono::milliseconds(10)};
    options.tries = 3;
    return options;
  }

  static LlmRequest offering() {
    LlmRequest request = test::asking("a question");
    request.settings["tools"] = "agent/1 check submit";
    return request;
  }

  std::unique_ptr<MockLlm> mock_;
};

TEST_P(ToolServer, calls_go_through_the_fields_of_the_api_both_ways) {
  for (const bool stream : {true, false}) {
    serve(mock_queue({{MockFault::none, spoken}, {MockFault::none, "```cpp\nint b;\n```\n"}}));
    HttpLlmClient client(client_options(stream));
    LlmRequest request = offering();
    const Exchange first = test::ask(client, request);
    EXPECT_EQ(first.status, "ok");
    const ToolReply reply = read_tool_reply(first.reply);
    ASSERT_EQ(reply.calls.size(), 1u) << first.reply;
    EXPECT_EQ(reply.calls[0].id, GetParam() == "gemini" ? "ke_call_1" : "call_0_0");
    EXPECT_EQ(reply.calls[0].source, "int a;\n");
    EXPECT_EQ(reply.prose, "I check it.\n");
    request.messages.push_back({"assistant", first.reply});
    request.messages.push_back({"tool", "k1 passes."});
    EXPECT_EQ(test::ask(client, request).reply, "```cpp\nint b;\n```\n");
    EXPECT_EQ(client.attempts(), 2);
  }
}

TEST_P(ToolServer, a_model_that_takes_no_tools_is_asked_with_text_alone_from_then_on) {
  serve(mock_queue({{MockFault::no_tools, spoken}}));
  HttpLlmClient client(client_options(true));
  LlmRequest request = offering();
  const Exchange first = test::ask(client, request);
  EXPECT_EQ(first.status, "ok");
  EXPECT_EQ(first.reply, spoken);
  EXPECT_EQ(client.attempts(), 2);
  request.messages.push_back({"assistant", first.reply});
  request.messages.push_back({"tool", "k1 passes."});
  EXPECT_EQ(test::ask(client, request).reply, spoken);
  EXPECT_EQ(client.attempts(), 3);
}

INSTANTIATE_TEST_SUITE_P(Dialects, ToolServer, testing::ValuesIn(component_names(dialects())),
                         [](const auto& c) { return c.param; });

}  // namespace
}  // namespace ke

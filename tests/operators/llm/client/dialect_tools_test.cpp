// Tools as in the providers' documentation: definitions, calls and results, written and read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/json.hpp"
#include "operators/llm/client/dialect.hpp"
#include "operators/llm/client/endpoint.hpp"
#include "operators/llm/client/reply_reader.hpp"

namespace ke {
namespace {

std::unique_ptr<Dialect> speaker(const std::string& name) {
  return find_component(dialects(), name)->make();
}

/// A conversation: two API calls and their results; the answer is still to come.
LlmRequest talk(const std::string& ids = R"("id":"call_1",)", const std::string& signature = "") {
  LlmRequest request;
  request.messages = {
      {"system", "Be brief."},
      {"user", "Go"},
      {"assistant", "Let me see.\n```tool\n{" + ids + R"("tool":"check","arguments":{})" +
                        signature + "}\n```\n```source\nint a;\n```\n```tool\n{" + ids +
                        R"("tool":"look_up","arguments":{"query":"x"}})" + "\n```\n"},
      {"tool", "k1 passes."},
      {"tool", "Nothing is known."}};
  request.settings = {{"tools", "agent/1 look_up"}};
  return request;
}

Json sent(const std::string& name, const LlmRequest& request, bool native = true) {
  ModelTraits traits{{"tools"}};
  traits.native_tools = native;
  return parse_json(speaker(name)->body({request, "m", 99, false, traits}));
}

const Json query_schema = parse_json(
    R"({"type":"object","properties":{"query":{"type":"string","description":"words to look for"}},
        "required":["query"]})");
const std::string doc = "Looks up what is known of machines, languages and kinds of kernels.";

TEST(OpenaiChatTools, are_written_as_functions_calls_and_results) {
  const Json body = sent("openai_chat", talk());
  EXPECT_EQ(
      body["tools"],
      Json::array({{{"type", "function"},
                    {"function",
                     {{"name", "look_up"}, {"description", doc}, {"parameters", query_schema}}}}}));
  EXPECT_EQ(json_text(body["messages"]),
            R"([{"role":"system","content":"Be brief."},{"role":"user","content":"Go"},)"
            R"({"role":"assistant","content":"Let me see.","tool_calls":[)"
            R"({"id":"call_1","type":"function","function":{"name":"check",)"
            R"("arguments":"{\"source\":\"int a;\\n\"}"}},)"
            R"({"id":"call_1","type":"function","function":{"name":"look_up",)"
            R"("arguments":"{\"query\":\"x\"}"}}]},)"
            R"({"role":"tool","tool_call_id":"call_1","content":"k1 passes."},)"
            R"({"role":"tool","tool_call_id":"call_1","content":"Nothing is known."}])");
}

TEST(OpenaiResponsesTools, are_written_as_items) {
  const Json body = sent("openai_responses", talk());
  EXPECT_EQ(body["tools"], Json::array({{{"type", "function"},
                                         {"name", "look_up"},
                                         {"description", doc},
                                         {"parameters", query_schema},
                                         {"strict", false}}}));
  EXPECT_EQ(json_text(body["input"]),
            R"([{"role":"user","content":"Go"},{"role":"assistant","content":"Let me see."},)"
            R"({"type":"function_call","call_id":"call_1","name":"check",)"
            R"("arguments":"{\"source\":\"int a;\\n\"}"},)"
            R"({"type":"function_call","call_id":"call_1","name":"look_up",)"
            R"("arguments":"{\"query\":\"x\"}"},)"
            R"({"type":"function_call_output","call_id":"call_1","output":"k1 passes."},)"
            R"({"type":"function_call_output","call_id":"call_1","output":"Nothing is known."}])");
}

TEST(AnthropicTools, are_written_as_blocks) {
  const Json body = sent("anthropic_messages", talk());
  EXPECT_EQ(
      body["tools"],
      Json::array({{{"name", "look_up"}, {"description", doc}, {"input_schema", query_schema}}}));
  EXPECT_EQ(json_text(body["messages"]),
            R"([{"role":"user","content":"Go"},{"role":"assistant","content":[)"
            R"({"type":"text","text":"Let me see."},)"
            R"({"type":"tool_use","id":"call_1","name":"check","input":{"source":"int a;\n"}},)"
            R"({"type":"tool_use","id":"call_1","name":"look_up","input":{"query":"x"}}]},)"
            R"({"role":"user","content":[)"
            R"({"type":"tool_result","tool_use_id":"call_1","content":"k1 passes."},)"
            R"({"type":"tool_result","tool_use_id":"call_1","content":"Nothing is known."}]}])");
}

TEST(GeminiTools, are_written_as_parts_with_the_signature_that_came) {
  const Json body = sent("gemini", talk(R"("id":"ke_call_1",)", R"(,"signature":"c2ln")"));
  EXPECT_EQ(
      body["tools"],
      Json::array({{{"functionDeclarations", Json::array({{{"name", "look_up"},
                                                           {"description", doc},
                                                           {"parameters", query_schema}}})}}}));
  EXPECT_EQ(
      json_text(body["contents"]),
      R"([{"role":"user","parts":[{"text":"Go"}]},{"role":"model","parts":[)"
      R"({"text":"Let me see."},)"
      R"({"functionCall":{"name":"check","args":{"source":"int a;\n"}},)"
      R"("thoughtSignature":"c2ln"},)"
      R"({"functionCall":{"name":"look_up","args":{"query":"x"}}}]},)"
      R"({"role":"user","parts":[)"
      R"({"functionResponse":{"name":"check","response":{"result":"k1 passes."}}},)"
      R"({"functionResponse":{"name":"look_up","response":{"result":"Nothing is known."}}}]}])");
  const Json with_id = sent("gemini", talk());
  EXPECT_EQ(with_id["contents"][1]["parts"][1]["functionCall"]["id"], "call_1");
  EXPECT_EQ(with_id["contents"][2]["parts"][0]["functionResponse"]["id"], "call_1");
}

class ToolDialect : public testing::TestWithParam<std::string> {};

TEST_P(ToolDialect, calls_that_the_model_wrote_as_text_stay_text) {
  for (const bool native : {true, false}) {
    const LlmRequest request = native ? talk("") : talk();
    const std::string body = json_text(sent(GetParam(), request, native));
    EXPECT_THAT(body, testing::HasSubstr("```tool"));
    EXPECT_THAT(body, testing::HasSubstr("k1 passes.\\nNothing is known."));
    EXPECT_EQ(body.find("tool_call_id"), std::string::npos);
    EXPECT_EQ(sent(GetParam(), request, native).contains("tools"), native);
  }
}

TEST_P(ToolDialect, calls_without_a_result_each_stay_text) {
  LlmRequest request = talk();
  request.messages.pop_back();
  EXPECT_THAT(json_text(sent(GetParam(), request)), testing::HasSubstr("```tool"));
}

TEST_P(ToolDialect, malformed_arguments_go_back_as_an_object) {
  LlmRequest request = talk();
  request.messages.resize(2);
  request.messages.push_back(
      {"assistant", "```tool\n{\"id\":\"c\",\"tool\":\"check\",\"arguments\":\"{\"}\n```\n"});
  request.messages.push_back({"tool", "not carried out"});
  EXPECT_THAT(json_text(sent(GetParam(), request)), testing::HasSubstr("malformed"));
}

INSTANTIATE_TEST_SUITE_P(Dialects, ToolDialect, testing::ValuesIn(component_names(dialects())),
                         [](const auto& c) { return c.param; });

// ---- replies

struct ToolRead {
  ReplyReader::State state;
  Answer answer;
};

ToolRead whole_reply(const std::string& name, const std::string& text) {
  const auto spoken = speaker(name);
  ReplyReader reader(*spoken);
  reader.take(200, "application/json", text);
  const auto state = reader.finish(200, true);
  return {state, reader.answer()};
}

ToolRead streamed_reply(const std::string& name, const std::vector<std::string>& events) {
  const auto spoken = speaker(name);
  ReplyReader reader(*spoken);
  for (const std::string& event : events) {
    if (reader.take(200, "text/event-stream", "data: " + event + "\n\n").count() == 0) break;
  }
  const auto state = reader.finish(200, true);
  return {state, reader.answer()};
}

/// Prose, then two calls: one with a source, one with a query.
std::string canonical(const std::string& first, const std::string& second,
                      const std::string& signature = "") {
  return "Let me see.\n```tool\n{\"id\":\"" + first + "\",\"tool\":\"check\",\"arguments\":{}" +
         signature + "}\n```\n```source\nint a;\n```\n```tool\n{\"id\":\"" + second +
         "\",\"tool\":\"look_up\",\"arguments\":{\"query\":\"x\"}}\n```\n";
}

void expect_calls(const ToolRead& read, const std::string& text) {
  EXPECT_EQ(read.state, ReplyReader::State::complete);
  EXPECT_EQ(read.answer.status, "ok");
  EXPECT_EQ(read.answer.text, text);
}

TEST(OpenaiChatTools, are_read_whole_and_in_pieces) {
  expect_calls(
      whole_reply("openai_chat",
                  R"({"model":"m","choices":[{"message":{"role":"assistant","content":"Let me see.",
    "tool_calls":[{"id":"a","type":"function","function":{"name":"check",
    "arguments":"{\"source\": \"int a;\\n\"}"}},{"id":"b","type":"function","function":
    {"name":"look_up","arguments":"{\"query\":\"x\"}"}}]},"finish_reason":"tool_calls"}]})"),
      canonical("a", "b"));
  const auto chunk = [](const std::string& delta, const std::string& finish = "null") {
    return R"({"choices":[{"index":0,"delta":)" + delta + R"(,"finish_reason":)" + finish + "}]}";
  };
  expect_calls(
      streamed_reply(
          "openai_chat",
          {chunk(R"({"role":"assistant","content":"Let me "})"), chunk(R"({"content":"see."})"),
           chunk(R"({"tool_calls":[{"index":0,"id":"a","type":"function",)"
                 R"("function":{"name":"check","arguments":""}}]})"),
           chunk(R"({"tool_calls":[{"index":0,"function":{"arguments":"{\"source\": \"in"}}]})"),
           chunk(R"({"tool_calls":[{"index":0,"function":{"arguments":"t a;\\n\"}"}}]})"),
           chunk(R"({"tool_calls":[{"index":1,"id":"b","function":{"name":"look_up",)"
                 R"("arguments":"{\"query\":\"x\"}"}}]})"),
           chunk("{}", R"("tool_calls")"), "[DONE]"}),
      canonical("a", "b"));
}

TEST(OpenaiChatTools, without_ids_get_ids_of_ours) {
  const ToolRead read = whole_reply("openai_chat", R"({"choices":[{"message":{"content":null,
    "tool_calls":[{"function":{"name":"show","arguments":"{}"}}]},"finish_reason":"tool_calls"}]})");
  expect_calls(read, "```tool\n{\"id\":\"ke_call_1\",\"tool\":\"show\",\"arguments\":{}}\n```\n");
}

TEST(OpenaiResponsesTools, are_read_whole_and_in_pieces) {
  const std::string response =
      R"({"status":"completed","model":"m","output":[{"type":"reasoning","summary":[]},)"
      R"({"type":"message","content":[{"type":"output_text","text":"Let me see."}]},)"
      R"({"type":"function_call","id":"fc_1","call_id":"a","name":"check",)"
      R"("arguments":"{\"source\":\"int a;\\n\"}"},)"
      R"({"type":"function_call","id":"fc_2","call_id":"b","name":"look_up",)"
      R"("arguments":"{\"query\":\"x\"}"}]})";
  expect_calls(whole_reply("openai_responses", response), canonical("a", "b"));
  expect_calls(
      streamed_reply("openai_responses",
                     {R"({"type":"response.output_text.delta","delta":"Let me see."})",
                      R"({"type":"response.output_item.added","output_index":1,"item":)"
                      R"({"type":"function_call","call_id":"a","name":"check","arguments":""}})",
                      R"({"type":"response.function_call_arguments.delta","delta":"{\"so"})",
                      R"({"type":"response.completed","response":)" + response + "}"}),
      canonical("a", "b"));
}

TEST(AnthropicTools, are_read_whole_and_in_pieces) {
  expect_calls(whole_reply("anthropic_messages",
                           R"({"type":"message","model":"m","content":[
    {"type":"thinking","thinking":"hm"},{"type":"text","text":"Let me see."},
    {"type":"tool_use","id":"toolu_a","name":"check","input":{"source":"int a;\n"}},
    {"type":"tool_use","id":"toolu_b","name":"look_up","input":{"query":"x"}}],
    "stop_reason":"tool_use"})"),
               canonical("toolu_a", "toolu_b"));
  expect_calls(
      streamed_reply(
          "anthropic_messages",
          {R"({"type":"message_start","message":{"model":"m"}})",
           R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})",
           R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta",)"
           R"("text":"Let me see."}})",
           R"({"type":"content_block_start","index":1,"content_block":{"type":"tool_use",)"
           R"("id":"toolu_a","name":"check","input":{}}})",
           R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta",)"
           R"("partial_json":""}})",
           R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta",)"
           R"("partial_json":"{\"source\": \"int"}})",
           R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta",)"
           R"("partial_json":" a;\\n\"}"}})",
           R"({"type":"content_block_stop","index":1})",
           R"({"type":"content_block_start","index":2,"content_block":{"type":"tool_use",)"
           R"("id":"toolu_b","name":"look_up","input":{"query":"x"}}})",
           R"({"type":"message_delta","delta":{"stop_reason":"tool_use"}})",
           R"({"type":"message_stop"})"}),
      canonical("toolu_a", "toolu_b"));
}

TEST(GeminiTools, are_read_with_their_signature) {
  const std::string parts =
      R"([{"text":"hm","thought":true},{"text":"Let me see."},)"
      R"({"functionCall":{"name":"check","args":{"source":"int a;\n"}},"thoughtSignature":"c2ln"},)"
      R"({"functionCall":{"id":"b","name":"look_up","args":{"query":"x"}}}])";
  const std::string reply = R"({"candidates":[{"content":{"parts":)" + parts +
                            R"(,"role":"model"},"finishReason":"STOP"}],"modelVersion":"m"})";
  const std::string text = canonical("ke_call_1", "b", R"(,"signature":"c2ln")");
  expect_calls(whole_reply("gemini", reply), text);
  expect_calls(streamed_reply("gemini", {reply}), text);
}

TEST(ReplyReaderTools, arguments_cut_by_the_limit_are_kept_as_they_came) {
  const ToolRead read = whole_reply("openai_chat", R"({"choices":[{"message":{"content":"",
    "tool_calls":[{"id":"a","function":{"name":"check","arguments":"{\"source\": \"int"}}]},
    "finish_reason":"length"}]})");
  EXPECT_EQ(read.answer.status, "truncated");
  EXPECT_EQ(read.answer.text,
            "```tool\n{\"id\":\"a\",\"tool\":\"check\",\"arguments\":"
            "\"{\\\"source\\\": \\\"int\"}\n```\n");
}

TEST(ReplyReaderTools, more_than_four_mebibytes_of_arguments_are_refused) {
  const std::string piece(std::size_t{1} << 20, 'x');
  std::vector<std::string> events;
  for (int i = 0; i < 5; ++i) {
    events.push_back(R"({"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":")" +
                     piece + R"("}}]}}]})");
  }
  events.emplace_back("[DONE]");
  EXPECT_EQ(streamed_reply("openai_chat", events).state, ReplyReader::State::too_long);
}

TEST(ReplyReaderTools, deep_arguments_do_not_overflow_the_stack) {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  whole_reply("gemini",
              R"({"candidates":[{"content":{"parts":[{"functionCall":{"name":"x","args":)" + deep +
                  R"(}}]},"finishReason":"STOP"}]})");
  whole_reply("anthropic_messages",
              R"({"content":[{"type":"tool_use","id":"a","name":"x","input":{"a":)" + deep +
                  R"(}}],"stop_reason":"tool_use"})");
  whole_reply("openai_chat",
              R"({"choices":[{"message":{"tool_calls":[{"function":{"name":"x","arguments":")" +
                  deep + R"("}}]},"finish_reason":"tool_calls"}]})");
}

TEST(Reactions, servers_say_in_many_ways_that_they_take_no_tools) {
  EXPECT_TRUE(refuses_tools(
      400, {"", "BadRequestError", "", "\"auto\" tool choice requires --enable-auto-tool-choice"}));
  EXPECT_TRUE(refuses_tools(500, {"", "server_error", "", "tools param requires --jinja flag"}));
  EXPECT_TRUE(refuses_tools(400, {"", "", "", "library/x does not support tools"}));
  EXPECT_TRUE(refuses_tools(400, {"unsupported_parameter", "", "tools", ""}));
  EXPECT_FALSE(refuses_tools(400, {"", "", "temperature", "not with this model"}));
  EXPECT_FALSE(refuses_tools(429, {"", "", "", "too many tools"}));
}

}  // namespace
}  // namespace ke

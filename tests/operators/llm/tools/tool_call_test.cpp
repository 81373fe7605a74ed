#include "operators/llm/tools/tool_table.hpp"

#include <gmock/gmock.h>

#include "core/json.hpp"

#include <nlohmann/json.hpp>

namespace ke {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

ToolCall only_call(const std::string& reply) {
  const ToolReply read = read_tool_reply(reply);
  EXPECT_THAT(read.calls, SizeIs(1));
  return read.calls.empty() ? ToolCall{} : read.calls.front();
}

TEST(ToolCalls, are_fences_with_their_source_in_the_fence_behind) {
  const ToolReply read = read_tool_reply(
      "First I check it.\n```tool\n{\"tool\": \"check\", \"arguments\": {\"why\": 1}}\n```\n"
      "It is this:\n```cpp\nint a;\n```\nand\n```cpp\nint b;\n```\n");
  ASSERT_THAT(read.calls, SizeIs(1));
  EXPECT_EQ(read.calls[0].tool, "check");
  EXPECT_EQ(read.calls[0].arguments, R"({"why":1})");
  EXPECT_EQ(read.calls[0].source, "int a;\n");
  EXPECT_EQ(read.calls[0].fault, "");
  EXPECT_TRUE(read.has_code);
  EXPECT_THAT(read.prose, HasSubstr("First I check it.\nIt is this:\nand\n```cpp\nint b;"));
}

TEST(ToolCalls, that_name_a_kernel_or_take_none_leave_the_fence_behind_alone) {
  for (const char* block : {R"({"tool":"check","arguments":{"kernel":"k1"}})",
                            R"({"tool":"look_up","arguments":{"query":"x"}})",
                            R"({"tool":"check","arguments":{"source":"int b;"}})"}) {
    const ToolReply read =
        read_tool_reply("```tool\n" + std::string(block) + "\n```\n```cpp\nint a;\n```\n");
    ASSERT_THAT(read.calls, SizeIs(1));
    EXPECT_NE(read.calls[0].source, "int a;\n") << block;
    EXPECT_TRUE(read.has_code) << block;
  }
}

TEST(ToolCalls, may_have_their_arguments_beside_the_name_or_as_a_text) {
  EXPECT_EQ(only_call("```tool\n{\"tool\":\"show\",\"kernel\":\"best\"}\n```").arguments,
            R"({"kernel":"best"})");
  EXPECT_EQ(only_call("```tool\n{\"tool\":\"look_up\",\"query\":\"x\"}\n```").arguments,
            R"({"query":"x"})");
  EXPECT_EQ(only_call("```tool\n{\"name\":\"look_up\",\"arguments\":\"{\\\"query\\\":\\\"x\\\"}\"}"
                      "\n```")
                .arguments,
            R"({"query":"x"})");
}

TEST(ToolCalls, without_a_readable_object_have_a_fault) {
  for (const char* block : {"{", "check", "[]", "{\"tool\":\"x\",\"arguments\":3}",
                            "{\"tool\":\"x\",\"arguments\":\"{\"}", ""}) {
    EXPECT_NE(only_call("```tool\n" + std::string(block) + "\n```").fault, "") << block;
  }
  const std::string deep = "{\"tool\":\"x\",\"arguments\":{\"a\":" + std::string(100'000, '[') +
                           std::string(100'000, ']') + "}}";
  EXPECT_NE(only_call("```tool\n" + deep + "\n```").fault, "");
  EXPECT_NE(only_call("```tool\n{\"tool\": \"check\"}").tool, "");
}

TEST(ToolCalls, other_json_and_prose_are_none) {
  EXPECT_THAT(read_tool_reply("```json\n{\"name\": \"softmax\"}\n```\ntool: check").calls,
              SizeIs(0));
  EXPECT_THAT(read_tool_reply("").calls, SizeIs(0));
  EXPECT_THAT(read_tool_reply("```cpp\n// ```tool\n// {\"tool\":\"check\"}\n```").calls, SizeIs(0));
}

TEST(ToolCalls, in_a_source_that_opens_and_does_not_close_a_fence_are_its_text) {
  const ToolReply read = read_tool_reply("```tool\n{}\n```\n````c\n```tool\n````\n");
  ASSERT_THAT(read.calls, SizeIs(1));
  EXPECT_EQ(read.calls[0].source, "```tool\n");
}

TEST(ToolCalls, beyond_the_limit_are_left_out) {
  std::string reply;
  for (int i = 0; i < 100; ++i) reply += "```tool\n{\"tool\":\"show\"}\n```\n";
  EXPECT_THAT(read_tool_reply(reply).calls, SizeIs(most_calls));
}

TEST(ToolCalls, of_providers_read_back_from_their_text) {
  const std::string source = "/* ````cpp\n```\n*/\nint a;\n";
  const Json arguments{{"note", "é \"x\"\n"}, {"source", source}};
  const ToolCall call = native_call("call_1", "check", json_text(arguments), "c2ln");
  EXPECT_EQ(call.source, source);
  const ToolReply read = read_tool_reply("I think so.\n" + tool_call_text(call));
  ASSERT_THAT(read.calls, SizeIs(1));
  EXPECT_EQ(encode(read.calls[0]), encode(call));
  EXPECT_EQ(read.prose, "I think so.\n");
  EXPECT_EQ(parse_json(wire_arguments(read.calls[0])), arguments);
}

TEST(ToolCalls, of_providers_with_malformed_arguments_keep_them) {
  const ToolCall call = native_call("call_1", "check", "{\"source\": \"```\n", "");
  EXPECT_NE(call.fault, "");
  const ToolCall read = only_call(tool_call_text(call));
  EXPECT_EQ(encode(read), encode(call));
  EXPECT_EQ(wire_arguments(read), R"({"malformed":"{\"source\": \"```\n"})");
  EXPECT_EQ(native_call("call_1", "check", "", "").arguments, "{}");
}

TEST(ToolTable, offers_are_read_back_by_name_and_version) {
  std::vector<const ToolSpec*> tools = {find_tool("check"), find_tool("submit")};
  LlmRequest request;
  EXPECT_THAT(offered_tools(request), SizeIs(0));
  request.settings["tools"] = offer_of(tools);
  EXPECT_EQ(request.settings["tools"], "agent/1 check submit");
  EXPECT_EQ(offered_tools(request), tools);
  request.settings["tools"] = "agent/2 check";
  EXPECT_THAT(offered_tools(request), SizeIs(0));
}

TEST(ToolTable, schemas_are_json_objects_with_properties) {
  for (const ToolSpec& tool : agent_tools()) {
    const Json schema = parse_json(tool.parameters);
    ASSERT_TRUE(schema.is_object()) << tool.name;
    EXPECT_EQ(schema["type"], "object");
    EXPECT_FALSE(schema["properties"].empty()) << "Gemini refuses objects without properties";
    EXPECT_EQ(tool.takes_source, schema["properties"].contains("source"));
  }
}

}  // namespace
}  // namespace ke

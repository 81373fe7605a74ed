// Requests and replies as in the providers' documentation.
#include "operators/llm/client/dialect.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "operators/llm/client/reply_reader.hpp"

namespace ke {
namespace {

LlmRequest request() {
  LlmRequest request;
  request.messages = {
      {"system", "Be brief."}, {"user", "Hi"}, {"assistant", "Yes?"}, {"user", "Go"}};
  request.settings = {{"temperature", "0.5"}, {"effort", "high"}, {"top_p", "0.25"}, {"seed", "7"}};
  return request;
}

std::unique_ptr<Dialect> dialect(const std::string& name) {
  return find_component(dialects(), name)->make();
}

/// The body of a request with these of its settings.
std::string body(const std::string& name, bool stream, const std::vector<std::string>& settings) {
  LlmRequest asked = request();
  std::erase_if(asked.settings, [&](const auto& one) {
    return std::ranges::find(settings, one.first) == settings.end();
  });
  asked.settings["prompt"] = "draft/1";  // of ours, never sent
  const ModelTraits traits;
  return dialect(name)->body({asked, "m", 99, stream, traits});
}

std::string path(const std::string& name, bool stream) {
  const LlmRequest asked = request();
  const ModelTraits traits;
  return dialect(name)->path({asked, "m", 99, stream, traits});
}

struct Read {
  ReplyReader::State state;
  Answer answer;
};

Read whole(const std::string& name, const std::string& text, int status = 200) {
  const auto spoken = dialect(name);
  ReplyReader reader(*spoken);
  reader.take(status, "application/json", text);
  const auto state = reader.finish(status, true);
  return {state, reader.answer()};
}

Read stream(const std::string& name, const std::vector<std::string>& events) {
  const auto spoken = dialect(name);
  ReplyReader reader(*spoken);
  for (const std::string& event : events) {
    const auto more =
        reader.take(200, "text/event-stream; charset=utf-8", "data: " + event + "\n\n");
    if (more.count() == 0) break;
  }
  const auto state = reader.finish(200, true);
  return {state, reader.answer()};
}

void expect(const Read& read, const std::string& status, const std::string& text,
            const Usage& usage) {
  EXPECT_EQ(read.state, ReplyReader::State::complete);
  EXPECT_EQ(read.answer.status, status);
  EXPECT_EQ(read.answer.text, text);
  EXPECT_EQ(read.answer.usage, usage);
}

TEST(OpenaiChatDialect, writes_a_request) {
  EXPECT_EQ(path("openai_chat", true), "/chat/completions");
  EXPECT_EQ(body("openai_chat", false, {}),
            R"({"model":"m","messages":[{"role":"system","content":"Be brief."},)"
            R"({"role":"user","content":"Hi"},{"role":"assistant","content":"Yes?"},)"
            R"({"role":"user","content":"Go"}],"max_completion_tokens":99})");
  const std::string full = body("openai_chat", true, {"temperature", "effort"});
  EXPECT_TRUE(full.ends_with(
      R"("max_completion_tokens":99,"temperature":0.5,"reasoning_effort":"high","stream":true,)"
      R"("stream_options":{"include_usage":true}})"))
      << full;
}

TEST(OpenaiChatDialect, reads_a_reply) {
  const Read read = whole("openai_chat", R"({"id":"c","object":"chat.completion","model":"m-1",
    "choices":[{"index":0,"message":{"role":"assistant","content":"Hello","refusal":null},
    "logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":19,"completion_tokens":10,
    "total_tokens":29,"prompt_tokens_details":{"cached_tokens":7},
    "completion_tokens_details":{"reasoning_tokens":4}}})");
  expect(read, "ok", "Hello", {19, 10, 7, 0, 4});
  EXPECT_EQ(read.answer.model, "m-1");
}

TEST(OpenaiChatDialect, reads_a_stream_whose_last_chunk_has_no_choices) {
  const Read read = stream(
      "openai_chat",
      {R"({"model":"m-1","choices":[{"index":0,"delta":{"role":"assistant","content":""},)"
       R"("finish_reason":null}]})",
       R"({"model":"m-1","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]})",
       R"({"model":"m-1","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]})",
       R"({"model":"m-1","choices":[{"index":0,"delta":{},"finish_reason":"length"}]})",
       R"({"model":"m-1","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2}})",
       "[DONE]"});
  expect(read, "truncated", "Hello", {5, 2});
}

TEST(OpenaiChatDialect, tells_refusals_and_leaves_reasoning_out) {
  EXPECT_EQ(whole("openai_chat", R"({"choices":[{"message":{"content":null,"refusal":"no"},
    "finish_reason":"stop"}]})")
                .answer.status,
            "refused");
  EXPECT_EQ(whole("openai_chat", R"({"choices":[{"message":{"content":""},
    "finish_reason":"content_filter"}]})")
                .answer.status,
            "refused");
  EXPECT_EQ(whole("openai_chat", R"({"choices":[{"message":{"content":"x","reasoning":"hm",
    "reasoning_content":"hm"},"finish_reason":"stop"}]})")
                .answer.text,
            "x");
}

TEST(OpenaiResponsesDialect, writes_a_request) {
  EXPECT_EQ(path("openai_responses", false), "/responses");
  EXPECT_EQ(body("openai_responses", true, {"effort"}),
            R"({"model":"m","input":[{"role":"user","content":"Hi"},)"
            R"({"role":"assistant","content":"Yes?"},{"role":"user","content":"Go"}],)"
            R"("instructions":"Be brief.","max_output_tokens":99,"store":false,)"
            R"("reasoning":{"effort":"high"},"stream":true})");
}

const char* const response = R"({"id":"r","status":"incomplete","model":"m-1",
  "incomplete_details":{"reason":"max_output_tokens"},"output":[
  {"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]},
  {"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hel"},
  {"type":"output_text","text":"lo"}]}],"usage":{"input_tokens":36,
  "input_tokens_details":{"cached_tokens":30,"cache_write_tokens":2},"output_tokens":87,
  "output_tokens_details":{"reasoning_tokens":80},"total_tokens":123}})";

TEST(OpenaiResponsesDialect, reads_a_reply_and_a_stream) {
  expect(whole("openai_responses", response), "truncated", "Hello", {36, 87, 30, 2, 80});
  expect(
      stream("openai_responses",
             {R"({"type":"response.created","response":{"status":"in_progress"}})",
              R"({"type":"response.output_text.delta","delta":"Hel"})",
              R"({"type":"response.completed","response":{"status":"completed","model":"m",)"
              R"("output":[{"type":"message","content":[{"type":"output_text","text":"Hello"}]}],)"
              R"("usage":{"input_tokens":3,"output_tokens":1}}})"}),
      "ok", "Hello", {3, 1});
}

TEST(OpenaiResponsesDialect, reads_failures) {
  const Read failed = whole("openai_responses", R"({"status":"failed","output":[],
    "error":{"code":"server_error","message":"x"}})");
  EXPECT_EQ(failed.state, ReplyReader::State::failed);
  EXPECT_EQ(failed.answer.error.code, "server_error");
  const Read event = stream("openai_responses",
                            {R"({"type":"error","code":"rate_limit_exceeded","message":"x"})"});
  EXPECT_EQ(event.state, ReplyReader::State::failed);
  EXPECT_EQ(event.answer.error.code, "rate_limit_exceeded");
}

TEST(AnthropicDialect, writes_a_request) {
  const auto anthropic = dialect("anthropic_messages");
  EXPECT_EQ(path("anthropic_messages", true), "/messages");
  EXPECT_EQ(anthropic->key_header(), "x-api-key: ");
  EXPECT_EQ(anthropic->headers("").front(), "anthropic-version: 2023-06-01");
  EXPECT_EQ(anthropic->headers("2026-10-21").front(), "anthropic-version: 2026-10-21");
  EXPECT_EQ(body("anthropic_messages", false, {"temperature", "effort"}),
            R"({"model":"m","max_tokens":99,"system":"Be brief.","messages":[)"
            R"({"role":"user","content":"Hi"},{"role":"assistant","content":"Yes?"},)"
            R"({"role":"user","content":"Go"}],"temperature":0.5,)"
            R"("output_config":{"effort":"high"}})");
}

TEST(AnthropicDialect, counts_cached_tokens_as_input) {
  expect(whole("anthropic_messages", R"({"id":"msg","type":"message","role":"assistant",
    "model":"m-1","content":[{"type":"thinking","thinking":"hm","signature":"s"},
    {"type":"text","text":"Hello"}],"stop_reason":"end_turn","usage":{"input_tokens":10,
    "cache_creation_input_tokens":20,"cache_read_input_tokens":300,"output_tokens":4}})"),
         "ok", "Hello", {330, 4, 300, 20});
}

TEST(AnthropicDialect, reads_a_stream_to_its_stop) {
  std::vector<std::string> events{
      R"({"type":"message_start","message":{"model":"m-1","usage":{"input_tokens":25,)"
      R"("cache_read_input_tokens":5,"output_tokens":1}}})",
      R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})",
      R"({"type":"ping"})",
      R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"x"}})",
      R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hello"}})"};
  EXPECT_EQ(stream("anthropic_messages", events).state, ReplyReader::State::cut);
  auto broken = events;
  broken.push_back(R"({"type":"error","error":{"type":"overloaded_error","message":"x"}})");
  EXPECT_EQ(stream("anthropic_messages", broken).answer.error.type, "overloaded_error");
  events.push_back(R"({"type":"message_delta","delta":{"stop_reason":"max_tokens"},)"
                   R"("usage":{"output_tokens":15}})");
  events.push_back(R"({"type":"message_stop"})");
  expect(stream("anthropic_messages", events), "truncated", "Hello", {30, 15, 5});
}

TEST(GeminiDialect, writes_a_request) {
  EXPECT_EQ(path("gemini", false), "/models/m:generateContent");
  EXPECT_EQ(path("gemini", true), "/models/m:streamGenerateContent?alt=sse");
  EXPECT_EQ(body("gemini", true, {"temperature", "effort"}),
            R"({"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[)"
            R"({"role":"user","parts":[{"text":"Hi"}]},{"role":"model","parts":[{"text":"Yes?"}]},)"
            R"({"role":"user","parts":[{"text":"Go"}]}],"generationConfig":{"maxOutputTokens":99,)"
            R"("temperature":0.5,"thinkingConfig":{"thinkingLevel":"high"}}})");
}

TEST(GeminiDialect, reads_a_reply_without_thoughts_and_a_stream) {
  expect(whole("gemini", R"({"candidates":[{"content":{"parts":[{"text":"hm","thought":true},
    {"text":"Hello"}],"role":"model"},"finishReason":"STOP"}],"usageMetadata":{
    "promptTokenCount":9,"candidatesTokenCount":3,"thoughtsTokenCount":40,
    "cachedContentTokenCount":2,"totalTokenCount":52},"modelVersion":"m-1"})"),
         "ok", "Hello", {9, 43, 2, 0, 40});
  expect(stream("gemini", {R"({"candidates":[{"content":{"parts":[{"text":"Hel"}]}}]})",
                           R"({"candidates":[{"content":{"parts":[{"text":"lo"}]},)"
                           R"("finishReason":"MAX_TOKENS"}],"usageMetadata":{"promptTokenCount":1,)"
                           R"("candidatesTokenCount":2}})"}),
         "truncated", "Hello", {1, 2});
  EXPECT_EQ(whole("gemini", R"({"promptFeedback":{"blockReason":"SAFETY"}})").answer.status,
            "refused");
}

class EveryDialect : public testing::TestWithParam<std::string> {};

TEST_P(EveryDialect, survives_replies_of_any_other_form) {
  for (const char* text :
       {"", "null", "[]", "3", "{\"choices\":3}", "{\"choices\":[{\"message\":7}]",
        "{\"content\":\"x\"", "{\"output\":{}}", "{\"candidates\":[1]", "<html>",
        "{\"a\":\"\xff\"}", "{\"usage\":3,\"usageMetadata\":[]}", "{\"error\":null}"}) {
    EXPECT_EQ(whole(GetParam(), text).state, ReplyReader::State::malformed) << text;
    EXPECT_NE(stream(GetParam(), {text}).state, ReplyReader::State::complete) << text;
  }
}

TEST_P(EveryDialect, reads_errors_of_every_form) {
  const auto error = [&](const std::string& text) {
    return whole(GetParam(), text, 429).answer.error;
  };
  EXPECT_EQ(error(R"({"error":{"message":"m","type":"t","param":"p","code":"c"}})").code, "c");
  EXPECT_EQ(error(R"({"error":{"message":"m","type":"t","param":"p","code":"c"}})").param, "p");
  EXPECT_EQ(error(R"({"type":"error","error":{"type":"rate_limit_error","details":{
    "error_code":"enforced_spend_limit_reached"}}})")
                .code,
            "enforced_spend_limit_reached");
  EXPECT_EQ(error(R"([{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}])").type,
            "RESOURCE_EXHAUSTED");
  EXPECT_EQ(error(R"({"error":"text"})").message, "text");
  EXPECT_TRUE(error("Bad gateway").empty());
}

INSTANTIATE_TEST_SUITE_P(Dialects, EveryDialect, testing::ValuesIn(component_names(dialects())),
                         [](const auto& c) { return c.param; });

TEST(ReplyReader, a_reply_beyond_four_mebibytes_is_refused_in_either_form) {
  const std::string text(std::size_t{5} << 20, 'x');
  const std::string reply =
      R"({"choices":[{"message":{"content":")" + text + R"("},"finish_reason":"stop"}]})";
  EXPECT_EQ(whole("openai_chat", reply).state, ReplyReader::State::too_long);
  const std::string chunk = R"({"choices":[{"delta":{"content":")" + text + R"("}}]})";
  EXPECT_EQ(stream("openai_chat", {chunk, "[DONE]"}).state, ReplyReader::State::too_long);
  EXPECT_EQ(whole("openai_chat", std::string(std::size_t{25} << 20, 'x'), 500).state,
            ReplyReader::State::too_long);
}

TEST(ReplyReader, an_event_without_an_end_is_not_gathered_for_ever) {
  const auto spoken = dialect("openai_chat");
  ReplyReader reader(*spoken);
  const std::string piece(std::size_t{1} << 20, 'x');
  int pieces = 0;
  while (pieces < 100 && reader.take(200, "text/event-stream", piece).count() > 0) ++pieces;
  EXPECT_EQ(pieces, 24);
  EXPECT_EQ(reader.finish(200, false), ReplyReader::State::too_long);
}

/// All sampling settings, each as the API's own documentation places it.
TEST(EveryDialectsSettings, stand_where_the_api_expects_them) {
  const std::vector<std::string> all{"temperature", "top_p", "seed", "effort"};
  const auto has = [&](const char* name, const char* text) {
    EXPECT_NE(body(name, false, all).find(text), std::string::npos) << body(name, false, all);
  };
  has("openai_chat", R"("temperature":0.5,"top_p":0.25,"seed":7,"reasoning_effort":"high")");
  has("openai_responses", R"("temperature":0.5,"top_p":0.25,"reasoning":{"effort":"high"})");
  has("anthropic_messages", R"("temperature":0.5,"top_p":0.25,"output_config":{"effort":"high"})");
  has("gemini", R"("temperature":0.5,"topP":0.25,"seed":7,"thinkingConfig":{"thinkingLevel":)");
  for (const char* name : {"openai_responses", "anthropic_messages"}) {
    EXPECT_EQ(dialect(name)->place_of("seed"), "");
    EXPECT_EQ(body(name, false, all).find("seed"), std::string::npos);
  }
}

struct ContentCase {
  std::string content;
  std::string text;
  std::string reasoning;
};

TEST(OpenaiChatDialect, reads_content_in_every_form_that_servers_send) {
  const ContentCase cases[] = {
      {R"("a")", "a", ""},
      {R"([{"type":"text","text":"a"}])", "a", ""},
      {R"([{"type":"text","text":"a"},{"type":"text","text":"b"}])", "ab", ""},
      {R"([{"type":"output_text","text":"a"},"b"])", "ab", ""},
      {R"([{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"a"}])",
       "a", "hm"},
      {R"([{"type":"reasoning","text":"hm"},{"text":"a"}])", "a", "hm"},
      {R"({"type":"text","text":"a"})", "a", ""},
      {R"([{"type":"image_url","image_url":{"url":"x"}},{"type":"text","text":"a"}])", "a", ""},
      {"[]", "", ""},
      {"null", "", ""},
      {R"([{"type":"text","text":7},{"type":"text"}])", "", ""}};
  for (const auto& [content, text, reasoning] : cases) {
    const Read read = whole("openai_chat", R"({"choices":[{"message":{"content":)" + content +
                                               R"(},"finish_reason":"stop"}]})");
    EXPECT_EQ(read.answer.text, text) << content;
    EXPECT_EQ(read.answer.reasoning, reasoning) << content;
    const Read piece = stream("openai_chat", {R"({"choices":[{"delta":{"content":)" + content +
                                                  R"(},"finish_reason":"stop"}]})",
                                              "[DONE]"});
    EXPECT_EQ(piece.answer.text, text) << content;
  }
}

TEST(OpenaiChatDialect, reads_usage_under_the_names_that_servers_use) {
  const std::pair<std::string, Usage> cases[] = {
      {R"({"prompt_tokens":8000.0,"completion_tokens":300.0})", {8000, 300}},
      {R"({"prompt_tokens":"8000","completion_tokens":"300"})", {8000, 300}},
      {R"({"prompt_tokens":2006,"prompt_cache_hit_tokens":1920,"prompt_cache_miss_tokens":86,)"
       R"("completion_tokens":300})",
       {2006, 300, 1920}},
      {R"({"prompt_cache_hit_tokens":20,"prompt_cache_miss_tokens":86,"completion_tokens":3})",
       {106, 3, 20}},
      {R"({"prompt_tokens":50,"completion_tokens":3,"cached_tokens":40})", {50, 3, 40}},
      {R"({"prompt_tokens":50,"completion_tokens":3,"cache_read_input_tokens":40,)"
       R"("cache_creation_input_tokens":5})",
       {50, 3, 40, 5}},
      {R"({"input_tokens":50,"output_tokens":3})", {50, 3}},
      {R"({"prompt_tokens":-5,"completion_tokens":3})", {0, 3}},
      {R"({"prompt_tokens":1e300,"completion_tokens":3})", {100'000'000, 3}},
      {R"({"prompt_tokens":null,"completion_tokens":true})", {}},
      {"7", {}}};
  for (const auto& [usage, expected] : cases) {
    const Read read = whole("openai_chat", R"({"choices":[{"message":{"content":"x"},)"
                                           R"("finish_reason":"stop"}],"usage":)" +
                                               usage + "}");
    EXPECT_EQ(read.answer.usage, expected) << usage;
  }
  const Read groq = stream("openai_chat", {R"({"choices":[{"delta":{"content":"x"},)"
                                           R"("finish_reason":"stop"}],"x_groq":{"usage":)"
                                           R"({"prompt_tokens":5,"completion_tokens":2}}})",
                                           "[DONE]"});
  expect(groq, "ok", "x", {5, 2});
}

TEST(ReplyReader, a_stream_is_waited_for_no_longer_than_something_may_follow) {
  const auto spoken = dialect("openai_chat");
  ReplyReader reader(*spoken);
  const auto take = [&](const std::string& event) {
    return reader.take(200, "text/event-stream", "data: " + event + "\n\n");
  };
  const auto as_requested = std::chrono::milliseconds::max();
  EXPECT_EQ(take(R"({"choices":[{"delta":{"content":"x"}}]})"), as_requested);
  EXPECT_EQ(take(R"({"choices":[{"delta":{},"finish_reason":"stop"}]})").count(), 3000);
  EXPECT_EQ(take(R"({"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2}})").count(),
            250);
  EXPECT_EQ(take("[DONE]").count(), 250);
  EXPECT_EQ(reader.finish(200, false), ReplyReader::State::complete);
}

TEST(ModelTraits, an_unknown_model_is_sent_every_setting) {
  EXPECT_TRUE(traits_of("some-new-model").takes("temperature"));
  EXPECT_EQ(traits_of("some-new-model").max_tokens_name, "max_completion_tokens");
  EXPECT_TRUE(traits_of("gpt-4o").takes("temperature"));
  EXPECT_EQ(traits_of("gpt-4o").max_tokens_name, "max_tokens");
  EXPECT_FALSE(traits_of("gpt-5.6").takes("temperature"));
  EXPECT_FALSE(traits_of("gpt-5.6").takes("seed"));
  EXPECT_TRUE(traits_of("gemini-3-pro").takes("effort"));
  EXPECT_FALSE(traits_of("gemini-2.5-pro").takes("effort"));
}

}  // namespace
}  // namespace ke

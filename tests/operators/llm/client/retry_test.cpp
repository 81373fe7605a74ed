
#include <gtest/gtest.h>

#include "operators/llm/client/endpoint.hpp"

namespace ke {
namespace {

using std::chrono::milliseconds;

TEST(Retry, follows_status_and_error_code) {
  const auto code = [](const char* text) { return WireError{text, "", "", ""}; };
  const auto type = [](const char* text) { return WireError{"", text, "", ""}; };
  EXPECT_EQ(reaction_to(429, code("rate_limit_exceeded")), Reaction::slow_down);
  EXPECT_EQ(reaction_to(429, {}), Reaction::slow_down);
  EXPECT_EQ(reaction_to(529, type("overloaded_error")), Reaction::slow_down);
  EXPECT_EQ(reaction_to(503, code("server_is_overloaded")), Reaction::slow_down);
  for (const int status : {408, 500, 502, 503, 504, 520}) {
    EXPECT_EQ(reaction_to(status, {}), Reaction::retry) << status;
  }
  for (const char* spent : {"insufficient_quota", "credit_balance_exhausted", "quota_exceeded",
                            "enforced_spend_limit_reached"}) {
    EXPECT_EQ(reaction_to(429, code(spent)), Reaction::refuse) << spent;
  }
  EXPECT_EQ(reaction_to(400, {"", "invalid_request_error", "",
                              "Your credit balance is too low to access the API."}),
            Reaction::refuse);
  for (const int status : {401, 402, 403}) EXPECT_EQ(reaction_to(status, {}), Reaction::refuse);
  EXPECT_EQ(reaction_to(400, {"unsupported_value", "", "temperature", ""}),
            Reaction::rename_parameter);
  for (const int status : {204, 413}) {
    EXPECT_EQ(reaction_to(status, {}), Reaction::fail) << status;
  }
  for (const int status : {301, 400, 404, 422}) {
    EXPECT_EQ(reaction_to(status, {}), Reaction::refuse) << status;
  }
  EXPECT_EQ(reaction_to(200, type("overloaded_error")), Reaction::slow_down);
  EXPECT_EQ(reaction_to(200, type("api_error")), Reaction::retry);
  EXPECT_EQ(reaction_to(200, type("authentication_error")), Reaction::refuse);
}

TEST(Retry, an_error_in_a_reply_with_status_200_counts_as_what_it_says) {
  const auto status = [](int said) { return WireError{"", "", "", "", said}; };
  EXPECT_EQ(reaction_to(200, status(401)), Reaction::refuse);
  EXPECT_EQ(reaction_to(200, status(404)), Reaction::refuse);
  EXPECT_EQ(reaction_to(200, status(429)), Reaction::slow_down);
  EXPECT_EQ(reaction_to(200, status(503)), Reaction::retry);
  EXPECT_EQ(reaction_to(200, {"model_not_found", "", "", ""}), Reaction::refuse);
  EXPECT_EQ(status_meant(200, status(401)), 401);
  EXPECT_EQ(status_meant(500, status(401)), 500);
}

TEST(Retry, a_prompt_that_is_too_long_or_unwanted_fails_alone) {
  EXPECT_EQ(reaction_to(400, {"context_length_exceeded", "", "messages", ""}), Reaction::fail);
  EXPECT_EQ(reaction_to(400, {"content_filter", "", "", ""}), Reaction::fail);
  EXPECT_EQ(reaction_to(400, {"", "invalid_request_error", "", "prompt is too long: 9 > 8 tokens"}),
            Reaction::fail);
}

TEST(Retry, a_parameter_that_is_named_may_have_another_name) {
  EXPECT_EQ(reaction_to(400, {"unsupported_parameter", "", "max_completion_tokens", ""}),
            Reaction::rename_parameter);
  EXPECT_EQ(reaction_to(422, {"", "", "", "extra_forbidden: max_completion_tokens"}),
            Reaction::rename_parameter);
}

TEST(Retry, pauses_grow_differ_between_calls_and_respect_the_server) {
  const Backoff backoff{milliseconds(100), milliseconds(1000)};
  milliseconds longest(0);
  for (int call = 0; call < 200; ++call) {
    const Digest key = sha256(std::to_string(call));
    EXPECT_LE(backoff.delay(key, 0, milliseconds(0)), milliseconds(100));
    EXPECT_LE(backoff.delay(key, 2, milliseconds(0)), milliseconds(400));
    EXPECT_EQ(backoff.delay(key, 3, milliseconds(0)), backoff.delay(key, 3, milliseconds(0)));
    longest = std::max(longest, backoff.delay(key, 30, milliseconds(0)));
    EXPECT_GE(backoff.delay(key, 1, milliseconds(5000)), milliseconds(5000));
  }
  EXPECT_LE(longest, milliseconds(1000));
  EXPECT_GT(longest, milliseconds(900));
}

TEST(Window, halves_when_overloaded_and_grows_by_one_for_a_window_of_answers) {
  Window window(16);
  window.overloaded();
  EXPECT_EQ(window.size(), 8u);
  for (int i = 0; i < 9; ++i) window.answered();
  EXPECT_EQ(window.size(), 9u);
  for (int i = 0; i < 10; ++i) window.overloaded();
  EXPECT_EQ(window.size(), 1u);
  for (int i = 0; i < 1000; ++i) window.answered();
  EXPECT_EQ(window.size(), 16u);
}

TEST(Endpoint, keys_go_over_tls_or_to_this_machine) {
  EXPECT_EQ(url_problem("https://api.example.com/v1", true), "");
  EXPECT_EQ(url_problem("http://127.0.0.1:8000/v1", true), "");
  EXPECT_EQ(url_problem("http://[::1]:8000", true), "");
  EXPECT_EQ(url_problem("http://lab-server:8000/v1", false), "");
  EXPECT_NE(url_problem("http://lab-server:8000/v1", true), "");
  EXPECT_NE(url_problem("http://127.0.0.1.example.com", true), "");
  EXPECT_NE(url_problem("http://localhost@example.com/", true), "");
  for (const char* url : {"file:///etc/passwd", "ftp://x", "", "https://", "https://u:p@x/",
                          "https://x/v1?key=1", "https://x y/"}) {
    EXPECT_NE(url_problem(url, false), "") << url;
  }
}

}  // namespace
}  // namespace ke

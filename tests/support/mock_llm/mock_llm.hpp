#pragma once
// A mock language model: a local server that speaks every dialect and fails on request.

#include <chrono>
#include <memory>

#include "tests/support/mock_llm/mock_script.hpp"

namespace ke {

struct MockOptions {
  std::string token = "mock-key";  ///< accepted API key; others get status 401
  int port = 0;                    ///< 0 = any free port
  MockScript script;
  std::chrono::milliseconds slow{50};       ///< delay before a slow reply
  std::chrono::milliseconds stall{60'000};  ///< silence of a stalled reply
  int retry_after_s = 1;                    ///< sent with status 429; -1 = no header
  std::size_t threads = 16;                 ///< connections served at once
};

/// Counters of the mock.
struct MockCounts {
  std::int64_t requests = 0;
  std::int64_t answered = 0;  ///< complete replies with any text
  std::int64_t unauthorised = 0;
  /// Tokens that it bills, four bytes each: also for streams that it cuts, as far as they went.
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
};

/// Serves 127.0.0.1 only, from `start` to the end of the object.
class MockLlm {
 public:
  /// Error: the port is taken.
  static Result<std::unique_ptr<MockLlm>> start(MockOptions options);
  ~MockLlm();
  MockLlm(const MockLlm&) = delete;
  MockLlm& operator=(const MockLlm&) = delete;

  int port() const;
  /// Base URL of an endpoint of that dialect.
  std::string base_url(const std::string& dialect) const;
  MockCounts counts() const;

 private:
  struct Impl;
  explicit MockLlm(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ke

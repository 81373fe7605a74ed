#pragma once
// A language model that is none: it speaks every dialect on this machine and fails as told.

#include <chrono>
#include <memory>

#include "experiments/mock/mock_script.hpp"

namespace ke {

struct MockOptions {
  std::string token = "mock-key";  ///< the API key that it wants; others get status 401
  int port = 0;                    ///< 0 = any free one
  MockScript script;
  std::chrono::milliseconds slow{50};       ///< before a slow reply
  std::chrono::milliseconds stall{60'000};  ///< how long a stalled reply keeps silent
  int retry_after_s = 1;                    ///< with status 429; -1 = the header is left out
  std::size_t threads = 16;                 ///< connections served at once
};

/// What the mock counted.
struct MockCounts {
  std::int64_t requests = 0;
  std::int64_t answered = 0;  ///< whole replies, of whatever text
  std::int64_t unauthorised = 0;
  std::int64_t input_tokens = 0;  ///< of whole replies; four bytes a token
  std::int64_t output_tokens = 0;
};

/// Serves from `start` to the end of the object, to 127.0.0.1 alone.
class MockLlm {
 public:
  /// Error: the port is taken.
  static Result<std::unique_ptr<MockLlm>> start(MockOptions options);
  ~MockLlm();
  MockLlm(const MockLlm&) = delete;
  MockLlm& operator=(const MockLlm&) = delete;

  int port() const;
  /// What an endpoint of that dialect has as its base URL.
  std::string base_url(const std::string& dialect) const;
  MockCounts counts() const;

 private:
  struct Impl;
  explicit MockLlm(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ke

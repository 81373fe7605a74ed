#include "tests/conformance/llm_client_conformance.hpp"
#include "tests/operators/llm/client_kit.hpp"

namespace ke {
namespace {

using namespace test;

/// A mailbox in which each request is answered before the next poll.
class AnsweredMailbox final : public LlmClient {
 public:
  Result<void> submit(const Digest& key, const LlmRequest& request) override {
    return client_->submit(key, request);
  }
  std::vector<Exchange> poll(std::chrono::milliseconds wait) override {
    for (const auto& file : std::filesystem::directory_iterator(folder_ / "")) {
      const std::string name = file.path().filename().string();
      if (name.ends_with(".request.json")) {
        folder_.write(name.substr(0, 64) + ".reply.json", R"({"reply": "fine"})");
      }
    }
    return client_->poll(wait);
  }
  void cancel(const Digest& key) override { client_->cancel(key); }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<LlmClient> client_ =
      client_of(options({{"kind", scalar("mailbox")}, {"folder", scalar(folder_.text())}}));
};

std::unique_ptr<LlmClient> cat() {
  return client_of(options({{"kind", scalar("command")}, {"program", scalar("cat")}}));
}

/// An empty cassette with a fallback.
std::unique_ptr<LlmClient> cassette_or_cat() {
  return client_of(options({{"kind", scalar("cassette")},
                            {"file", scalar("/dev/null")},
                            {"otherwise.kind", scalar("command")},
                            {"otherwise.program", scalar("cat")}}));
}

INSTANTIATE_TEST_SUITE_P(
    Providers, LlmClientConformance,
    testing::Values(LlmClientCase{"command", cat},
                    LlmClientCase{"cassette_or_command", cassette_or_cat},
                    LlmClientCase{"mailbox", [] { return std::make_unique<AnsweredMailbox>(); }}),
    [](const auto& c) { return c.param.name; });

}  // namespace
}  // namespace ke

#include "tests/operators/llm/client_kit.hpp"

namespace ke {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using namespace test;

std::unique_ptr<LlmClient> mailbox(const TemporaryFolder& folder,
                                   const std::string& deadline = "1h",
                                   const std::string& settle = "0ms") {
  return client_of(options({{"kind", scalar("mailbox")},
                            {"folder", scalar((folder / "box").string())},
                            {"deadline", scalar(deadline)},
                            {"settle", scalar(settle)}}));
}

std::string name(const LlmRequest& request, const std::string& ending) {
  return "box/" + digest_of(request).hex() + ending;
}

TEST(MailboxProvider, writes_one_request_file_and_takes_a_reply_of_either_kind) {
  const TemporaryFolder folder;
  const auto client = mailbox(folder);
  const LlmRequest a = asking("a"), b = asking("b");
  ASSERT_TRUE(client->submit(digest_of(a), a));
  ASSERT_TRUE(client->submit(digest_of(b), b));
  EXPECT_NE(
      folder.read(name(a, ".request.json")).find(R"("messages":[{"role":"user","text":"a"}])"),
      std::string::npos);
  folder.write(name(a, ".reply.txt"), "plain\n");
  folder.write(name(b, ".reply.json"),
               R"({"reply": "json", "model": "me", "tokens": {"input": 4}})");
  std::map<std::string, Exchange> got;
  for (const Exchange& exchange : answers_of(*client, 2)) got[exchange.reply] = exchange;
  EXPECT_EQ(got.at("plain\n").key, digest_of(a));
  EXPECT_EQ(got.at("json").model_returned, "me");
  EXPECT_EQ(got.at("json").input_tokens, 4);
}

TEST(MailboxProvider, files_an_answer_away_only_when_the_caller_polls_again) {
  const TemporaryFolder folder;
  const auto client = mailbox(folder);
  const LlmRequest request = asking("a");
  folder.write("unrelated", "");
  ASSERT_TRUE(client->submit(digest_of(request), request));
  folder.write(name(request, ".reply.txt"), "yes");
  ASSERT_EQ(client->poll(milliseconds(0)).size(), 1u);
  EXPECT_TRUE(folder.has(name(request, ".reply.txt")));
  EXPECT_TRUE(folder.has(name(request, ".request.json")));
  EXPECT_TRUE(client->poll(milliseconds(0)).empty());
  EXPECT_FALSE(folder.has(name(request, ".reply.txt")));
  EXPECT_FALSE(folder.has(name(request, ".request.json")));
  EXPECT_EQ(folder.read("box/done/" + digest_of(request).hex() + ".reply.txt"), "yes");
}

TEST(MailboxProvider, a_restart_joins_open_requests_and_takes_answers_again_that_were_not_kept) {
  const TemporaryFolder folder;
  const LlmRequest open = asking("open"), kept = asking("kept");
  {
    const auto client = mailbox(folder);
    ASSERT_TRUE(client->submit(digest_of(open), open));
    ASSERT_TRUE(client->submit(digest_of(kept), kept));
    folder.write(name(kept, ".reply.txt"), "taken, then lost");
    ASSERT_EQ(answers_of(*client, 1).front().reply, "taken, then lost");
  }
  folder.write(name(open, ".reply.txt"), "meanwhile");
  const auto client = mailbox(folder);
  EXPECT_TRUE(client->poll(milliseconds(0)).empty());
  EXPECT_EQ(ask(*client, open).reply, "meanwhile");
  EXPECT_EQ(ask(*client, kept).reply, "taken, then lost");
}

TEST(MailboxProvider, waits_for_a_reply_that_is_being_written) {
  const TemporaryFolder folder;
  const auto client = mailbox(folder, "1h", "300ms");
  const LlmRequest request = asking("a");
  ASSERT_TRUE(client->submit(digest_of(request), request));
  folder.write(name(request, ".reply.json"), "{\"reply\": \"ha");
  EXPECT_TRUE(client->poll(milliseconds(0)).empty());
  folder.write(name(request, ".reply.json"), "{\"reply\": \"half and half\"}");
  const auto answers = client->poll(milliseconds(0));
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].reply, "half and half");
}

TEST(MailboxProvider, tells_open_letters_unless_a_reply_lies_there) {
  const TemporaryFolder folder;
  const auto client = mailbox(folder, "1h", "50ms");
  const LlmRequest a = asking("a"), b = asking("b");
  ASSERT_TRUE(client->submit(digest_of(a), a));
  ASSERT_TRUE(client->submit(digest_of(b), b));
  ASSERT_TRUE(client->open_letters());
  EXPECT_EQ(client->open_letters()->count, 2);
  EXPECT_EQ(client->open_letters()->place, (folder / "box").string());
  folder.write(name(a, ".reply.txt"), "it may be half");
  EXPECT_FALSE(client->open_letters());
  EXPECT_TRUE(client->poll(milliseconds(0)).empty());
  EXPECT_FALSE(client->open_letters()) << "it has not settled";
  ASSERT_EQ(answers_of(*client, 1).size(), 1u);
  ASSERT_TRUE(client->open_letters());
  EXPECT_EQ(client->open_letters()->count, 1);
}

TEST(MailboxProvider, keeps_a_malformed_reply_under_another_name) {
  const TemporaryFolder folder;
  const auto client = mailbox(folder);
  int number = 0;
  for (const char* text : {"{\"reply\": \"cut", "[]", "{\"reply\": 3}", ""}) {
    const LlmRequest request = asking(std::to_string(number++));
    ASSERT_TRUE(client->submit(digest_of(request), request));
    folder.write(name(request, ".reply.json"), text);
    EXPECT_EQ(answers_of(*client, 1).front().status, "bad_reply") << text;
    client->poll(milliseconds(0));
    EXPECT_FALSE(folder.has(name(request, ".reply.json")));
    EXPECT_EQ(folder.read(name(request, ".reply.json.bad")), text);
  }
}

TEST(MailboxProvider, an_empty_text_is_an_empty_reply) {
  const TemporaryFolder folder;
  const auto client = mailbox(folder);
  const LlmRequest request = asking("a");
  ASSERT_TRUE(client->submit(digest_of(request), request));
  folder.write(name(request, ".reply.txt"), " \n");
  EXPECT_EQ(answers_of(*client, 1).front().status, "empty");
}

TEST(MailboxProvider, gives_up_at_the_deadline_and_ignores_what_comes_later_or_twice) {
  const TemporaryFolder folder;
  const auto client = mailbox(folder, "30ms");
  const LlmRequest late = asking("late"), twice = asking("twice");
  EXPECT_EQ(ask(*client, late).status, "timeout");
  folder.write(name(late, ".reply.txt"), "too late");
  ASSERT_TRUE(client->submit(digest_of(twice), twice));
  folder.write(name(twice, ".reply.txt"), "first");
  EXPECT_EQ(answers_of(*client, 1).front().reply, "first");
  client->poll(milliseconds(0));
  folder.write(name(twice, ".reply.txt"), "second");
  EXPECT_TRUE(client->poll(milliseconds(20)).empty());
}

TEST(MailboxProvider, poll_waits_no_longer_than_asked_with_many_requests_open) {
  const TemporaryFolder folder;
  const auto client = mailbox(folder);
  for (int i = 0; i < 300; ++i) {
    const LlmRequest request = asking(std::to_string(i));
    ASSERT_TRUE(client->submit(digest_of(request), request));
  }
  const auto start = steady_clock::now();
  EXPECT_TRUE(client->poll(milliseconds(30)).empty());
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(MailboxProvider, a_folder_that_cannot_be_made_is_an_error) {
  const TemporaryFolder folder;
  folder.write("box", "a file");
  const auto submitted = mailbox(folder)->submit(Digest{}, asking("a"));
  ASSERT_FALSE(submitted);
  EXPECT_NE(submitted.error().message.find("cannot be written"), std::string::npos);
}

}  // namespace
}  // namespace ke

#include <set>

#include "tests/operators/llm/client_kit.hpp"

namespace ke {
namespace {

using namespace test;

/// A bank in a folder, filled by a program that counts its calls and answers with its process.
struct BankFolder {
  TemporaryFolder folder;

  std::unique_ptr<LlmClient> run(int children, const LlmWorld& world = {}) const {
    const std::string count = "echo x >> " + folder.file("calls") + "; echo $$";
    return client_of(options({{"kind", scalar("bank")},
                              {"file", scalar(folder.file("bank.jsonl"))},
                              {"children", scalar(std::to_string(children))},
                              {"otherwise.kind", scalar("command")},
                              {"otherwise.program", list({"sh", "-c", count})}}),
                     world);
  }
  std::size_t calls() const { return folder.has("calls") ? folder.read("calls").size() / 2 : 0; }
};

/// Answers to one prompt, asked by several slots in sequence.
std::vector<std::string> ask_slots(LlmClient& client, const std::string& seed, int slots,
                                   const std::string& prompt = "p") {
  std::vector<std::string> replies;
  for (int slot = 0; slot < slots; ++slot) {
    const Digest key = sha256(seed + std::to_string(slot));
    EXPECT_TRUE(client.submit(key, asking(prompt)));
    const auto answers = answers_of(client, 1);
    if (answers.empty()) return replies;
    EXPECT_EQ(answers.front().key, key);
    replies.push_back(answers.front().reply);
  }
  return replies;
}

std::size_t distinct(const std::vector<std::string>& replies) {
  return std::set<std::string>(replies.begin(), replies.end()).size();
}

TEST(BankProvider, a_full_bank_serves_later_runs_without_a_call_and_no_child_twice) {
  const BankFolder bank;
  EXPECT_EQ(distinct(ask_slots(*bank.run(4), "first", 4)), 4u);
  ASSERT_EQ(bank.calls(), 4u);
  std::set<std::string> firsts;
  for (int seed = 0; seed < 20; ++seed) {
    const auto replies = ask_slots(*bank.run(4), "seed" + std::to_string(seed) + ".", 4);
    EXPECT_EQ(distinct(replies), 4u);
    firsts.insert(replies.front());
  }
  EXPECT_EQ(bank.calls(), 4u);
  // each process may come first: the odds of missing one are 4 * 0.75^20
  EXPECT_EQ(firsts.size(), 4u);
}

TEST(BankProvider, what_the_bank_lacks_is_asked_live_and_kept) {
  const BankFolder bank;
  ask_slots(*bank.run(2), "a", 2);
  const auto run = bank.run(2);
  EXPECT_EQ(distinct(ask_slots(*run, "b", 3)), 3u);  // two from the bank, and its own
  EXPECT_EQ(bank.calls(), 3u);
  ask_slots(*run, "c", 1, "another prompt");
  EXPECT_EQ(bank.calls(), 4u);
}

TEST(BankProvider, a_resumed_run_gets_no_child_of_its_earlier_sessions_again) {
  const BankFolder bank;
  ask_slots(*bank.run(4), "filler", 3);
  for (int run = 0; run < 10; ++run) {
    const std::string seed = "run" + std::to_string(run) + ".";
    std::vector<Exchange> had;  // two draws, plus a live answer in the first run
    const auto first = bank.run(4);
    for (const char* slot : {"a", "b", "c"}) {
      ASSERT_TRUE(first->submit(sha256(seed + slot), asking("p")));
      had.push_back(answers_of(*first, 1).front());
    }
    LlmWorld world;
    world.answered = [&had] { return Result<std::vector<Exchange>>(had); };
    const auto second = bank.run(4, world);
    const auto rest = ask_slots(*second, seed, 1);
    for (const Exchange& exchange : had) EXPECT_NE(rest.front(), exchange.reply);
  }
  EXPECT_EQ(bank.calls(), 4u);
}

TEST(BankProvider, a_run_whose_answers_cannot_be_read_is_not_begun) {
  const BankFolder bank;
  LlmWorld world;
  world.answered = [] { return Result<std::vector<Exchange>>(Error{Failure::store, "locked"}); };
  const auto submitted = bank.run(4, world)->submit(Digest{}, asking("p"));
  ASSERT_FALSE(submitted);
  EXPECT_EQ(submitted.error().message, "locked");
}

TEST(BankProvider, requests_in_flight_fill_places_of_their_own) {
  const BankFolder bank;
  const auto run = bank.run(2);
  for (const char* slot : {"a", "b"}) ASSERT_TRUE(run->submit(sha256(slot), asking("p")));
  answers_of(*run, 2);
  EXPECT_EQ(bank.calls(), 2u);
  EXPECT_EQ(distinct(ask_slots(*bank.run(2), "later", 2)), 2u);
  EXPECT_EQ(bank.calls(), 2u);
}

TEST(BankProvider, failures_are_no_children) {
  TemporaryFolder folder;
  const auto bank = [&](const char* program) {
    return client_of(options({{"kind", scalar("bank")},
                              {"file", scalar(folder.file("bank.jsonl"))},
                              {"otherwise.kind", scalar("command")},
                              {"otherwise.program", list({"sh", "-c", program})}}));
  };
  EXPECT_NE(ask(*bank("exit 3"), asking("p")).status, "ok");
  EXPECT_EQ(folder.read("bank.jsonl"), "");
  EXPECT_EQ(ask(*bank("echo fine"), asking("p")).reply, "fine\n");
}

TEST(BankProvider, needs_somebody_who_answers_and_a_file_it_may_write) {
  const Node alone = options({{"kind", scalar("bank")}, {"file", scalar("b.jsonl")}});
  ParamLog log;
  Params params(&alone, "llm", log);
  make_llm_client(params, {});
  ASSERT_EQ(log.errors.size(), 1u);
  EXPECT_NE(log.errors.front().find("'llm.otherwise' is missing"), std::string::npos);
  const auto nowhere = client_of(options({{"kind", scalar("bank")},
                                          {"file", scalar("/nowhere/b.jsonl")},
                                          {"otherwise.kind", scalar("command")},
                                          {"otherwise.program", scalar("cat")}}));
  const auto submitted = nowhere->submit(Digest{}, asking("p"));
  ASSERT_FALSE(submitted);
  EXPECT_EQ(submitted.error().message, "/nowhere/b.jsonl: cannot be written");
}

}  // namespace
}  // namespace ke

#include <gtest/gtest.h>

#include "operators/registry.hpp"
#include "tests/conformance/operator_samples.hpp"

namespace ke {
namespace {

/// Outcome of the operator for a sh program.
Outcome answer(const std::string& script, std::int64_t parents = 1,
               const std::string& deadline = "5s") {
  const auto op =
      make_operator("command", test::options({{"program", test::list({"sh", "-c", script})},
                                              {"parents", test::scalar(std::to_string(parents))},
                                              {"deadline", test::scalar(deadline)}}));
  EXPECT_EQ(op->arity(), parents);
  const Seed seed = conformance_seed();
  std::vector<Parent> list;
  for (int i = 0; i < parents; ++i) {
    list.push_back({conformance_candidate(seed, seed.kernel, i), ParentRole::parent});
  }
  RandomStream random({1, 0, 1, 0, Purpose::vary});
  return op->start(list, Context{{&seed, 1}, "", {1, 0, 0}}, random);
}

std::string reason(const Outcome& outcome) {
  const auto* none = std::get_if<NoChild>(&outcome);
  return none == nullptr ? "a kernel" : none->reason;
}

TEST(Command, takes_what_the_program_changes_and_keeps_the_rest) {
  const Outcome outcome =
      answer("read line; echo '{\"kernel\": {\"knobs\": {\"A\": 8, \"C\": true}}}'; cat");
  ASSERT_EQ(reason(outcome), "a kernel");
  const Kernel& kernel = std::get<HashedKernel>(outcome).kernel;
  EXPECT_EQ(kernel.knobs,
            (std::map<std::string, std::string>{{"A", "8"}, {"B", "x"}, {"C", "true"}}));
  EXPECT_EQ(kernel.source, conformance_seed().kernel.source);
}

TEST(Command, without_parents_starts_from_the_first_seed) {
  EXPECT_EQ(reason(answer("read line; echo '{\"kernel\": {}}'; cat", 0)), "a kernel");
}

TEST(Command, reads_the_declarations_of_a_new_source) {
  const Outcome outcome =
      answer("read line; echo '{\"kernel\": {\"source\": \"// @knob N int {3, 5} = 5\"}}'; cat");
  ASSERT_EQ(reason(outcome), "a kernel");
  EXPECT_EQ(std::get<HashedKernel>(outcome).kernel.knobs,
            (std::map<std::string, std::string>{{"N", "5"}}));
  EXPECT_TRUE(std::get<HashedKernel>(outcome).kernel.flags.empty());
  EXPECT_EQ(reason(answer("read line; echo '{\"kernel\": {\"source\": \"// @knob N\"}}'; cat")),
            "bad_declarations");
}

TEST(Command, tells_the_program_parents_seeds_and_a_random_number) {
  const Outcome outcome = answer(
      "read line; case \"$line\" in "
      "*'\"vary\":{\"id\":\"1.0.0\",\"random\":'*'\"parents\":[{\"id\":'*"
      "'\"knobs\":[{\"name\":\"A\",\"kind\":\"integer\",\"values\":[\"1\"'*'\"seeds\":['*) "
      "echo '{\"no_child\": \"understood\"}';; *) echo '{\"no_child\": \"what\"}';; esac; cat");
  EXPECT_EQ(reason(outcome), "understood");
}

TEST(Command, every_failure_of_the_program_is_an_outcome) {
  EXPECT_EQ(reason(answer("exit 1")), "program_failed");
  EXPECT_EQ(reason(answer("sleep 60", 1, "200ms")), "program_failed");
  EXPECT_EQ(reason(answer("yes")), "program_failed");
  EXPECT_EQ(reason(answer("read line; echo hello; cat")), "program_answer");
  EXPECT_EQ(reason(answer("read line; echo '[]'; cat")), "program_answer");
  EXPECT_EQ(reason(answer("read line; echo '{}'; cat")), "program_answer");
  EXPECT_EQ(reason(answer("read line; echo '{\"kernel\": 7}'; cat")), "program_answer");
  EXPECT_EQ(reason(answer("read line; echo '{\"kernel\": {\"knobs\": []}}'; cat")),
            "program_answer");
  EXPECT_EQ(reason(answer("read line; echo '{\"kernel\": {\"flags\": {}}}'; cat")),
            "program_answer");
  EXPECT_EQ(reason(answer("read line; echo '{\"kernel\": {\"source\": 3}}'; cat")),
            "program_answer");
  EXPECT_EQ(reason(answer("read line; echo '{\"kernel\": {\"knobs\": {\"A\": 3}}}'; cat")),
            "constraints");
}

}  // namespace
}  // namespace ke

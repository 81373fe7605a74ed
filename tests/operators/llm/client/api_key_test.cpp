#include "operators/llm/client/api_key.hpp"

#include <sstream>
#include <tuple>
#include <type_traits>

#include "tests/operators/llm/client_kit.hpp"

namespace ke {
namespace {

using test::TemporaryFolder;

template <typename T>
concept Printable = requires(std::ostringstream& out, const T& value) {
  out << value;
};
template <typename T>
concept Comparable = requires(const T& a, const T& b) {
  a == b;
};
template <typename T>
concept Encodable = requires(Encoder& out, const T& value) {
  value.encode(out);
};

static_assert(!std::is_copy_constructible_v<ApiKey> && !std::is_copy_assignable_v<ApiKey>);
static_assert(!Printable<ApiKey> && !Comparable<ApiKey> && !Encodable<ApiKey>);
static_assert(!std::is_convertible_v<ApiKey, std::string_view>);
static_assert(Printable<std::string>);

TEST(ApiKey, is_taken_out_of_its_text_which_is_overwritten) {
  std::string text = "  sk-canary-123\n";
  const auto key = ApiKey::take(text, "here");
  ASSERT_TRUE(key);
  EXPECT_EQ(key->reveal(), "sk-canary-123");
  EXPECT_TRUE(text.empty());
}

TEST(ApiKey, messages_name_the_place_and_not_the_key) {
  for (const std::string bad : {"", "   ", "sk canary", "sk-canary\r\nx: y", "canary\x80"}) {
    std::string text = bad;
    const auto key = ApiKey::take(text, "variable KE_KEY");
    ASSERT_FALSE(key);
    EXPECT_NE(key.error().message.find("variable KE_KEY"), std::string::npos);
    EXPECT_EQ(key.error().message.find("canary"), std::string::npos);
  }
}

TEST(ApiKey, a_file_must_be_its_owners_alone) {
  const TemporaryFolder folder;
  folder.write("key", "sk-canary\n");
  const std::string path = (folder / "key").string();
  namespace fs = std::filesystem;
  for (const unsigned mode : {0644U, 0640U, 0604U, 0400U, 0700U}) {
    fs::permissions(path, static_cast<fs::perms>(mode));
    const auto key = ApiKey::from_file(path);
    ASSERT_FALSE(key) << mode;
    EXPECT_NE(key.error().message.find("only 0600 is accepted"), std::string::npos);
  }
  fs::permissions(path, static_cast<fs::perms>(0600));
  const auto key = ApiKey::from_file(path);
  ASSERT_TRUE(key);
  EXPECT_EQ(key->reveal(), "sk-canary");
  EXPECT_FALSE(ApiKey::from_file(folder.text()));
  EXPECT_FALSE(ApiKey::from_file((folder / "none").string()));
}

TEST(ApiKey, is_removed_from_texts_that_quote_it) {
  std::string text = "canary";
  const auto key = ApiKey::take(text, "here");
  EXPECT_EQ(key->without_key("a canary and canarycanary"), "a [key] and [key][key]");
  EXPECT_EQ(key->without_key(""), "");
}

TEST(ApiKey, that_is_part_of_its_mark_is_removed_once) {
  for (const auto& [secret, text, kept] :
       {std::tuple{"[key]", "a [key]", "a [key]"}, {"key]", "key]key]", "[key][key]"}}) {
    std::string given = secret;
    EXPECT_EQ(ApiKey::take(given, "here")->without_key(text), kept);
  }
}

TEST(ApiKey, of_three_characters_is_no_secret) {
  for (const char* placeholder : {"k", "e", "key"}) {
    std::string given = placeholder;
    EXPECT_EQ(ApiKey::take(given, "here")->without_key("a kernel key"), "a kernel key");
  }
}

TEST(ApiKey, is_removed_in_parts_from_what_providers_say) {
  std::string text = "sk-canary-123";
  const auto key = ApiKey::take(text, "here");
  EXPECT_EQ(key->without_parts("bad sk-can***ry-123!"), "bad [key]***[key]!");
  EXPECT_EQ(key->without_parts("canary? sk-c is short"), "[key]? sk-c is short");
  EXPECT_EQ(key->without_parts("sk-canary-123sk-canary-123"), "[key][key]");
}

}  // namespace
}  // namespace ke

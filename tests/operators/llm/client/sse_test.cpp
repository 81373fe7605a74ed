#include "operators/llm/client/dialect.hpp"

#include <gtest/gtest.h>

namespace ke {
namespace {

std::string read(const std::vector<std::string>& pieces) {
  SseParser parser;
  std::string text;
  for (const std::string& piece : pieces) {
    for (const SseEvent& event : parser.feed(piece)) text += event.name + "|" + event.data + ";";
  }
  return text;
}

TEST(Sse, events_end_at_an_empty_line) {
  EXPECT_EQ(read({"data: a\n\nevent: x\ndata:b\n\n"}), "|a;x|b;");
}

TEST(Sse, lines_end_with_any_of_three_marks) {
  EXPECT_EQ(read({"data: a\r\n\r\ndata: b\r\rdata: c\n\n"}), "|a;|b;|c;");
}

TEST(Sse, lines_of_data_are_joined_and_one_space_is_dropped) {
  EXPECT_EQ(read({"data:  a\ndata\ndata: b\n\n"}), "| a\n\nb;");
}

TEST(Sse, comments_other_fields_and_events_without_data_are_skipped) {
  EXPECT_EQ(read({": ping\n\nid: 4\nretry: 9\nevent: none\n\ndata: [DONE]\n\n"}), "|[DONE];");
}

TEST(Sse, a_byte_order_mark_is_skipped_and_an_event_that_is_cut_does_not_come) {
  EXPECT_EQ(read({"\xef\xbb\xbf", "data: a\n\ndata: b\n"}), "|a;");
}

TEST(Sse, any_split_gives_the_same_events) {
  const std::string stream = "event: e\r\ndata: one\r\ndata: two\r\n\r\n: x\r\ndata: three\r\n\r\n";
  const std::string expected = "e|one\ntwo;|three;";
  for (std::size_t i = 0; i <= stream.size(); ++i) {
    EXPECT_EQ(read({stream.substr(0, i), stream.substr(i)}), expected) << i;
  }
  std::vector<std::string> bytes;
  for (const char c : stream) bytes.emplace_back(1, c);
  EXPECT_EQ(read(bytes), expected);
}

}  // namespace
}  // namespace ke

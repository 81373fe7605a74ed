#include "operators/llm/similarity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ke {
namespace {

TEST(LineReuse, counts_added_lines_that_an_ancestor_had) {
  const LineSet parent = line_set("int a;\nint b;\n}\n");
  const LineSet deleted = line_set("int a;\n  int c;\nint d;\n{\n");
  const LineReuse reuse =
      line_reuse(line_set("int a;\nint c;   \nint e;\n{\n\n}\n"), parent, deleted);
  EXPECT_EQ(reuse.added, 2);         // int c; and int e;
  EXPECT_EQ(reuse.reintroduced, 1);  // int c;, with any blanks around it
}

TEST(LineReuse, lines_that_the_parent_has_are_not_added) {
  const LineSet lines = line_set("int a;\nint b;\n");
  EXPECT_EQ(line_reuse(lines, lines, lines).added, 0);
}

TEST(CodeHash, is_blind_for_comments_and_white_space_alone) {
  const std::uint64_t hash = code_hash("// @knob A int {1, 2} = 1\nint a = A;\n");
  EXPECT_EQ(code_hash("// @knob A int {1, 2} = 1\n// a note\n  int  a =\n A;\n"), hash);
  EXPECT_NE(code_hash("// @knob A int {1, 2} = 1\nint b = A;\n"), hash);
  EXPECT_NE(code_hash("// @knob A int {1, 2, 4} = 1\nint a = A;\n"), hash);
}

TEST(KnownCode, survives_as_text) {
  const KnownCode known{{1, 0xfedcba9876543210}, {2}};
  const KnownCode read = KnownCode::parse("3" + known.text());
  EXPECT_EQ(read.judged, known.judged);
  EXPECT_EQ(read.deleted, known.deleted);
  for (const char* broken : {"", "1", "1; x", "1; zz;;;"}) {
    EXPECT_THAT(KnownCode::parse(broken).judged, testing::IsEmpty()) << broken;
  }
}

}  // namespace
}  // namespace ke

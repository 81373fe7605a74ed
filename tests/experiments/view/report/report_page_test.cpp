// A report shows any content of a run as text.

#include "experiments/view/report/report_page.hpp"

#include "experiments/page/page.hpp"
#include "tests/experiments/shell.hpp"

namespace ke {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string data_of(const std::string& page) {
  const std::size_t from = page_template().head.size();
  return page.substr(from, page.find("</script>", from) - from);
}

class ReportPage : public ::testing::Test {
 protected:
  void SetUp() override {
    if (page_template().head.empty()) GTEST_SKIP() << "built without npm: there is no page";
  }
};

TEST_F(ReportPage, no_text_ends_the_data) {
  const std::string hostile = "</script><script>alert(1)</script><!-- \xE2\x80\xAE ]]> \xFF\x01";
  const Json data = {{hostile, hostile}};
  const auto page = report_page({data, {}});
  ASSERT_TRUE(page);
  EXPECT_THAT(data_of(*page), Not(HasSubstr("<")));
  EXPECT_EQ(Json::parse(data_of(*page)).begin().key().substr(0, 34), hostile.substr(0, 34));
}

TEST_F(ReportPage, policy_names_its_own_script_alone) {
  const auto page = report_page({Json::object(), {}});
  ASSERT_TRUE(page);
  EXPECT_THAT(*page, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(*page, Not(HasSubstr("unsafe-")));
  EXPECT_THAT(*page, Not(HasSubstr(" src=")));
  EXPECT_THAT(*page, Not(HasSubstr("<link")));
}

TEST_F(ReportPage, of_a_run_that_is_not_there_is_an_error) {
  const auto data = report_data({"/nowhere.kev"});
  ASSERT_FALSE(data);
  EXPECT_THAT(data.error().message, HasSubstr("/nowhere.kev: no such run file or folder"));
}

using ReportVerb = test::Shell;

TEST_F(ReportVerb, writes_one_page_of_several_runs) {
  if (page_template().head.empty()) GTEST_SKIP() << "built without npm: there is no page";
  write("f.yaml",
        "device: {kind: function, dimensions: 4}\nbudget: {evaluations: 40}\nseed: 1..3\n");
  ASSERT_EQ(call("run f.yaml -q -o runs"), 0) << output_;
  ASSERT_EQ(call("report runs -o all.html"), 0) << output_;
  EXPECT_THAT(output_, HasSubstr("all.html: 3 runs, "));
  ASSERT_EQ(call("!cat all.html"), 0);
  const Json data = Json::parse(data_of(output_));
  EXPECT_EQ(data["runs"].size(), 3U);
  EXPECT_EQ(data["runs"][0]["summary"]["state"], "done");
  std::size_t packed = 0;
  for (std::size_t at = 0; (at = output_.find("class=\"run\">eJ", at)) != output_.npos; ++at)
    ++packed;
  EXPECT_EQ(packed, 3U);  // base64 of the header of zlib
  EXPECT_EQ(data["arms"]["arms"], Json({"f"}));
  EXPECT_EQ(data["arms"]["of"].size(), 3U);
}

}  // namespace
}  // namespace ke

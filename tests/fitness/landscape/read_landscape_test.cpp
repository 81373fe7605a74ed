#include "fitness/landscape/landscape.hpp"

#include <gmock/gmock.h>
#include <unistd.h>
#include <zlib.h>

#include <fstream>
#include <set>

#include "tests/fitness/landscape/sample_landscapes.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ke {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ReadLandscape : public ::testing::Test {
 protected:
  static std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
    return folder_ + "/" + name;
  }
  /// Error of a golden file in which `from` is replaced by `to`.
  std::string error_of(const std::string& golden, const std::string& from, const std::string& to) {
    std::string text = text_of(golden_landscape(golden));
    const std::size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    if (at != text.npos) text.replace(at, from.size(), to);
    const auto read = read_landscape(write("bad.json", text));
    EXPECT_FALSE(read) << from;
    return read ? "" : read.error().message;
  }

  test::TemporaryFolder temporary_;
  std::string folder_ = temporary_.text();
};

Kernel kernel(std::map<std::string, std::string> knobs) {
  Kernel made;
  made.knobs = std::move(knobs);
  return made;
}

TEST_F(ReadLandscape, t4_keeps_values_failures_samples_and_measures) {
  const auto read = read_landscape(golden_landscape("small_T4.json"));
  ASSERT_TRUE(read) << read.error().message;
  const Landscape& landscape = **read;
  EXPECT_EQ(landscape.name(), "small");
  EXPECT_EQ(landscape.unit_ns(), 1e6);
  // the configuration that breaks a constraint is left out
  ASSERT_EQ(landscape.points().size(), 5u);
  const auto& parameters = landscape.parameters();
  ASSERT_EQ(parameters.size(), 4u);
  EXPECT_EQ(parameters[0].knob.name, "width");
  EXPECT_EQ(parameters[0].knob.kind, KnobKind::integer);
  EXPECT_THAT(parameters[0].knob.values, ElementsAre("4", "8", "16"));
  EXPECT_EQ(parameters[1].knob.kind, KnobKind::boolean);
  EXPECT_EQ(parameters[2].knob.kind, KnobKind::enumeration);
  EXPECT_THAT(parameters[2].knob.values, ElementsAre("col", "row_major"));
  EXPECT_THAT(parameters[3].knob.values, ElementsAre("_0_25", "_0_5"));
  EXPECT_THAT(parameters[3].numbers, ElementsAre(0.25, 0.5));
  EXPECT_EQ(landscape.best_time(), 1.0);
  EXPECT_THAT(landscape.measures(), ElementsAre("GB/s"));

  const auto first = landscape.find(
      kernel({{"width", "8"}, {"unroll", "false"}, {"order", "row_major"}, {"ratio", "_0_5"}}));
  ASSERT_TRUE(first);
  const Landscape::Point& point = landscape.points()[*first];
  EXPECT_EQ(point.verdict, Verdict::ok);
  EXPECT_EQ(point.time, 2.5);
  EXPECT_THAT(landscape.samples(point), ElementsAre(2.0, 2.5, 3.0));
  EXPECT_EQ(landscape.measure(*first, 0), 10.5);
}

TEST_F(ReadLandscape, failures_become_verdicts_and_what_was_not_recorded_is_not_there) {
  const auto read = read_landscape(golden_landscape("small_T4.json"));
  ASSERT_TRUE(read) << read.error().message;
  const auto verdict = [&](const std::string& width, const std::string& unroll) {
    const auto at = (*read)->find(
        kernel({{"width", width}, {"unroll", unroll}, {"order", "col"}, {"ratio", "_0_25"}}));
    return at ? std::optional((*read)->points()[*at].verdict) : std::nullopt;
  };
  EXPECT_EQ(verdict("4", "true"), Verdict::compile_error);
  EXPECT_EQ(verdict("16", "true"), Verdict::runtime_error);
  EXPECT_EQ(verdict("4", "false"), Verdict::ok);
  EXPECT_EQ(verdict("8", "true"), std::nullopt);   // never tried
  EXPECT_EQ(verdict("2", "false"), std::nullopt);  // outside the constraints
  EXPECT_EQ((*read)->find(kernel({{"width", "4"}})), std::nullopt);
  EXPECT_TRUE((*read)->find(Positions{0, 1, 0, 0}));
  EXPECT_EQ((*read)->find(Positions{3, 0, 0, 0}), std::nullopt);  // three widths
}

TEST_F(ReadLandscape, of_all_combinations_those_are_found_that_were_recorded) {
  const auto read = read_landscape(golden_landscape("small_T4.json"));
  ASSERT_TRUE(read) << read.error().message;
  const Landscape& landscape = **read;
  std::set<Positions> recorded;
  for (std::size_t i = 0; i < landscape.points().size(); ++i) {
    const auto levels = landscape.levels(i);
    recorded.emplace(levels.begin(), levels.end());
    EXPECT_EQ(landscape.find(levels), i);
  }
  std::size_t asked = 0;
  for (std::uint16_t width = 0; width < 4; ++width) {  // one more than exist
    for (std::uint16_t rest = 0; rest < 8; ++rest, ++asked) {
      const auto bit = [&](int i) { return static_cast<std::uint16_t>(rest >> i & 1); };
      const Positions levels = {width, bit(0), bit(1), bit(2)};
      EXPECT_EQ(landscape.find(levels).has_value(), recorded.contains(levels));
    }
  }
  EXPECT_EQ(asked, 32u);
}

TEST_F(ReadLandscape, a_tuner_cache_is_keyed_by_its_objective_alone) {
  const auto read = read_landscape(golden_landscape("small_cache.json"));
  ASSERT_TRUE(read) << read.error().message;
  const Landscape& landscape = **read;
  EXPECT_EQ(landscape.kernel(), "some_kernel");
  EXPECT_EQ(landscape.device(), "some device");
  ASSERT_EQ(landscape.points().size(), 4u);
  EXPECT_THAT(landscape.measures(), ElementsAre("GFLOP/s"));
  const auto failed = landscape.find(kernel({{"width", "16"}, {"unroll", "1"}}));
  ASSERT_TRUE(failed);
  EXPECT_EQ(landscape.points()[*failed].verdict, Verdict::runtime_error);
  EXPECT_EQ(landscape.points()[*failed].sample_count, 0u);  // left over from another run
  const auto best = landscape.find(kernel({{"width", "16"}, {"unroll", "0"}}));
  ASSERT_TRUE(best);
  EXPECT_EQ(landscape.points()[*best].time, 1.5);
  EXPECT_THAT(landscape.samples(landscape.points()[*best]), ElementsAre(1.0, 2.0));
}

TEST_F(ReadLandscape, compressed_and_plain_files_are_the_same) {
  const std::string text = text_of(golden_landscape("small_T4.json"));
  const std::string path = folder_ + "/small_T4.json.gz";
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  const auto packed = read_landscape(path);
  const auto plain = read_landscape(golden_landscape("small_T4.json"));
  ASSERT_TRUE(packed) << packed.error().message;
  ASSERT_TRUE(plain);
  EXPECT_EQ((*packed)->content_hash(), (*plain)->content_hash());

  std::ifstream whole(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(whole), {}};
  const auto cut = read_landscape(write("cut.json.gz", bytes.substr(0, bytes.size() / 2)));
  ASSERT_FALSE(cut);
  EXPECT_THAT(cut.error().message, HasSubstr("cut.json.gz: damaged after"));
}

TEST_F(ReadLandscape, bad_files_are_one_error_with_its_place) {
  const auto t4 = [&](const std::string& from, const std::string& to) {
    return error_of("small_T4.json", from, to);
  };
  EXPECT_THAT(t4("\"results\": [", "\"results\": [,"),
              HasSubstr("bad.json: parse error at line 3"));
  EXPECT_THAT(t4("\"results\"", "\"resluts\""),
              HasSubstr("bad.json: the document: has no 'results'"));
  EXPECT_THAT(t4("miliseconds", "weeks"), HasSubstr("metadata.timeunit: = 'weeks'"));
  EXPECT_THAT(t4("\"invalidity\": \"runtime\"", "\"invalidity\": \"sad\""),
              HasSubstr("results[3]: invalidity 'sad' is not one of"));
  EXPECT_THAT(t4("\"value\": 4.0", "\"value\": -4.0"),
              HasSubstr("results[4]: time = -4.0 is not a time above 0"));
  EXPECT_THAT(t4("[4.0, 4.0, 4.0]", "[4.0, null]"), HasSubstr("results[4]: times.runtimes = null"));
  EXPECT_THAT(t4("{\"width\": 16, \"unroll\": false,", "{\"width\": 8, \"unroll\": false,"),
              HasSubstr("results[1]: the same configuration as results[0]"));
  EXPECT_THAT(t4("{\"width\": 16, \"unroll\": false,", "{\"unroll\": false,"),
              HasSubstr("results[1]: has no 'width'"));
  EXPECT_THAT(t4("{\"width\": 16, \"unroll\": false,", "{\"width\": [], \"unroll\": false,"),
              HasSubstr("results[1]: a parameter's value must be"));
  EXPECT_THAT(error_of("small_cache.json", "\"cache\"", "\"cash\""), HasSubstr("has no 'cache'"));
  EXPECT_THAT(error_of("small_cache.json", "\"RuntimeFailedConfig\"", "\"Oops\""),
              HasSubstr("cache['16,1']: failure 'Oops' is not one of"));
  EXPECT_THAT(read_landscape(write("none.json", R"({"results": []})")).error().message,
              HasSubstr("none.json: holds no configuration"));
  EXPECT_THAT(read_landscape(folder_ + "/nothing.json").error().message,
              HasSubstr("nothing.json: no such file"));
  EXPECT_THAT(read_landscape(folder_).error().message, HasSubstr("is a folder"));
}

TEST_F(ReadLandscape, both_formats_of_one_recording_agree) {
  KE_SKIP_WITHOUT_LANDSCAPES();
  const std::string folder = reference_landscapes() + "/convolution_milo";
  const auto t4 = read_landscape(folder + "/A100_T4.json.gz");
  const auto cache = read_landscape(folder + "/A100.json.gz");
  ASSERT_TRUE(t4) << t4.error().message;
  ASSERT_TRUE(cache) << cache.error().message;
  EXPECT_EQ((*t4)->name(), (*cache)->name());
  ASSERT_EQ((*t4)->points().size(), 4362u);
  ASSERT_EQ((*cache)->points().size(), 4362u);
  for (std::size_t i = 0; i < (*t4)->points().size(); ++i) {
    const auto twin = (*cache)->find((*t4)->levels(i));
    ASSERT_TRUE(twin);
    const auto& a = (*t4)->points()[i];
    const auto& b = (*cache)->points()[*twin];
    EXPECT_EQ(a.verdict, b.verdict);
    EXPECT_EQ(a.time, b.time);
    EXPECT_TRUE(std::ranges::equal((*t4)->samples(a), (*cache)->samples(b)));
  }
}

}  // namespace
}  // namespace ke

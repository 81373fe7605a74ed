#include "fitness/cpu/linker.hpp"

#include <gtest/gtest.h>

#include "fitness/sandbox/level.hpp"

namespace ke {
namespace {

struct Bench {
  Bench() {
    CompilerOptions options;
    options.tools_dir = KE_BINARY_DIR;
    const auto report = probe_sandbox(options.tools_dir);
    EXPECT_TRUE(report);
    if (report) options.level = report->level;
    compiler = std::make_unique<Compiler>(*Compiler::create(options));
  }
  BuiltPtr build(const std::string& body) const {
    BuildRequest request;
    request.source =
        "extern \"C\" void kernel(const float* in, float* out, unsigned long n) { " + body + " }";
    BuildOutput output = *compiler->compile(request);
    EXPECT_TRUE(output.ok()) << output.message;
    Built built;
    built.object = std::move(output.object);
    built.build_hash = sha256(built.object);
    return std::make_shared<const Built>(std::move(built));
  }
  std::unique_ptr<Compiler> compiler;
};

TEST(linker, gives_what_the_compiler_links_ahead_or_not) {
  const Bench bench;
  const BuiltPtr built = bench.build("out[0] = in[0] + n;");
  Linker linker(*bench.compiler, {});
  linker.ahead(built, 3);
  for (const std::uint64_t padding : {3u, 4u, 3u}) {
    const auto linked = linker.link(built, padding);
    ASSERT_TRUE(linked) << linked.error().message;
    EXPECT_EQ(*linked, bench.compiler->link(built->object, padding)->shared_object);
  }
  EXPECT_NE(*linker.link(built, 3), *linker.link(built, 4));
}

TEST(linker, does_not_mix_builds_up) {
  const Bench bench;
  const BuiltPtr one = bench.build("out[0] = in[0];"), two = bench.build("out[0] = in[1] * n;");
  Linker linker(*bench.compiler, {});
  EXPECT_NE(*linker.link(one, 1), *linker.link(two, 1));
}

TEST(linker, reports_an_object_that_does_not_link) {
  const Bench bench;
  Built broken;
  broken.object = "no object at all";
  Linker linker(*bench.compiler, {});
  const auto linked = linker.link(std::make_shared<const Built>(std::move(broken)), 0);
  ASSERT_FALSE(linked);
  EXPECT_NE(linked.error().message.find("linking again failed"), std::string::npos);
}

TEST(linker, ends_with_links_still_waiting) {
  const Bench bench;
  const BuiltPtr built = bench.build("out[0] = in[0];");
  Linker linker(*bench.compiler, {});
  for (std::uint64_t padding = 0; padding < 20; ++padding) linker.ahead(built, padding);
}

}  // namespace
}  // namespace ke

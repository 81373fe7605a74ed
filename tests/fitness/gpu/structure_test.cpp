#include "fitness/gpu/structure.hpp"

#include <gtest/gtest.h>

namespace ke::gpu {
namespace {

ResolvedStep launch(const std::string& kernel, std::int64_t blocks, std::int64_t threads,
                    std::int64_t shared = 0) {
  ResolvedStep step;
  step.kernel = kernel;
  step.grid = {blocks, 1, 1};
  step.block = {threads, 1, 1};
  step.shared_bytes = shared;
  return step;
}

std::string entry(const std::string& name, const std::string& body) {
  return ".visible .entry " + name + "(\n\t.param .u64 " + name + "_param_0\n)\n{\n" + body +
         "\n\tret;\n}\n";
}

std::map<std::string, double> measured(const std::string& ptx, std::vector<ResolvedStep> steps,
                                       const std::string& log = "") {
  ResolvedPlan plan;
  plan.steps = std::move(steps);
  return structure_measures(ptx, log, {plan}, {});
}

std::map<std::string, double> of_body(const std::string& body, std::int64_t threads = 128) {
  return measured(entry("k", body), {launch("k", 264, threads)});
}

// Spellings of the PTX ISA 8.8, sections 9.7.8 to 9.7.16.
TEST(Structure, engines_are_told_apart) {
  EXPECT_EQ(of_body("fma.rn.f32 %f1, %f2, %f3, %f4;").at("engine"), 0);
  EXPECT_EQ(of_body("fma.rn.bf16x2 %r1, %r2, %r3, %r4;").at("engine"), 1);
  EXPECT_EQ(of_body("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\n"
                    "{%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f5};")
                .at("engine"),
            2);
  const std::string wgmma =
      "{\n.reg .pred p;\nsetp.ne.b32 p, %r1, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2}, ";
  EXPECT_EQ(of_body(wgmma + "%rd1, %rd2, p, 1, 1, 0, 0;\n}").at("engine"), 3);
  EXPECT_EQ(of_body(wgmma + "{%r4, %r5}, %rd2, p, 1, 1, 0;\n}").at("engine"), 4);
  EXPECT_EQ(of_body("tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, p;").at("engine"),
            5);
}

TEST(Structure, ways_of_the_data_are_told_apart) {
  EXPECT_EQ(of_body("ld.global.nc.f32 %f1, [%rd1];").at("data_path"), 0);
  EXPECT_EQ(of_body("@%p1 ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];").at("data_path"), 1);
  EXPECT_EQ(of_body("cp.async.cg.shared.global [%r1], [%rd1], 16;").at("data_path"), 2);
  const std::string bulk = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";
  EXPECT_EQ(of_body(bulk + " [%r1], [%rd1], %r2, [%r3];").at("data_path"), 3);
  EXPECT_EQ(
      of_body("cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], %r2;").at("data_path"),
      0);  // writes
  const std::string tensor =
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes";
  EXPECT_EQ(of_body(tensor + " [%r1], [%rd1, {%r2, %r3}], [%r4];").at("data_path"), 4);
  const auto multicast =
      of_body(tensor + ".multicast::cluster [%r1], [%rd1, {%r2, %r3}], [%r4], %rs1;");
  EXPECT_EQ(multicast.at("data_path"), 5);
  EXPECT_EQ(multicast.at("cooperation"), 3);
}

TEST(Structure, groups_that_exchange_values_are_told_apart) {
  EXPECT_EQ(of_body("add.f32 %f1, %f2, %f3;").at("cooperation"), 0);
  EXPECT_EQ(of_body("shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;").at("cooperation"), 1);
  const std::string block = "st.shared.f32 [%r1], %f1;\nbar.sync 0;\nld.shared.f32 %f2, [%r2];";
  EXPECT_EQ(of_body(block).at("cooperation"), 2);
  EXPECT_EQ(of_body(block, 32).at("cooperation"), 1) << "a block of one warp";
  EXPECT_EQ(of_body("bar.sync 0;").at("cooperation"), 0) << "nothing is exchanged";
  EXPECT_EQ(of_body("mapa.shared::cluster.u32 %r1, %r2, %r3;").at("cooperation"), 3);
  EXPECT_EQ(of_body("red.global.add.f32 [%rd1], %f1;").at("cooperation"), 4);
  ResolvedStep step = launch("k", 132, 128);
  step.cooperative = true;
  EXPECT_EQ(measured(entry("k", ""), {step}).at("cooperation"), 4);
}

TEST(Structure, pipelines_and_roles_are_seen) {
  EXPECT_EQ(of_body("cp.async.wait_group 2;").at("stages"), 3);
  EXPECT_EQ(of_body("mbarrier.init.shared.b64 [%r1], 1;\nmbarrier.init.shared.b64 [%r2], 1;\n"
                    "mbarrier.init.shared.b64 [%r3], 1;\nmbarrier.init.shared.b64 [%r4], 1;")
                .at("stages"),
            2);
  EXPECT_EQ(of_body("bar.sync 0;").at("warp_roles"), 0);
  EXPECT_EQ(of_body("bar.sync 1, 128;").at("warp_roles"), 1);
  EXPECT_EQ(of_body("setmaxnreg.dec.sync.aligned.u32 40;").at("warp_roles"), 1);
}

TEST(Structure, only_what_is_launched_counts) {
  const std::string ptx =
      entry("split", "ld.global.f32 %f1, [%rd1];\nst.global.f32 [%rd2], %f1;") +
      entry("product",
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1}, {%r1}, {%r2}, {%f2};") +
      entry("atomic", "red.global.add.f32 [%rd1], %f1;");
  const std::string log =
      "ptxas info    : Compiling entry function 'product' for 'sm_90a'\n"
      "ptxas info    : Used 40 registers, used 1 barriers, 1024 bytes smem\n";
  const auto both =
      measured(ptx, {launch("split", 4096, 256), launch("product", 132, 384, 2048)}, log);
  EXPECT_EQ(both.at("engine"), 2);
  EXPECT_EQ(both.at("cooperation"), 0) << "'atomic' is not launched";
  EXPECT_EQ(both.at("launches"), 2);
  EXPECT_EQ(both.at("waves"), 1) << "of the product, on 132 multiprocessors";
  EXPECT_EQ(both.at("block_threads"), 384);
  EXPECT_EQ(both.at("block_shared_bytes"), 3072);
  const auto one = measured(ptx, {launch("split", 4096, 256)}, log);
  EXPECT_EQ(one.at("engine"), 0);
  EXPECT_EQ(one.at("launches"), 1);
  EXPECT_EQ(one.at("block_shared_bytes"), 0);
}

TEST(Structure, functions_count_where_they_are_called) {
  const std::string ptx =
      ".func (.param .b32 r) helper(\n.param .b32 a\n)\n{\nshfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, "
      "-1;\nret;\n}\n" +
      entry("calls", "{ // callseq 0, 0\ncall.uni (retval0),\n\thelper,\n\t(param0);\n}") +
      entry("does_not", "add.f32 %f1, %f2, %f3;");
  EXPECT_EQ(measured(ptx, {launch("calls", 1, 64)}).at("cooperation"), 1);
  EXPECT_EQ(measured(ptx, {launch("does_not", 1, 64)}).at("cooperation"), 0);
}

TEST(Structure, comments_do_not_count) {
  EXPECT_EQ(of_body("// mma.sync in a comment; red.global.add.f32 too;\nadd.f32 %f1, %f2, %f3;")
                .at("engine"),
            0);
}

TEST(Structure, nothing_gives_zeros_for_every_name) {
  const auto m = structure_measures("", "", {}, {});
  EXPECT_EQ(m.size(), structure_names.size());
  for (const auto& [name, value] : m) EXPECT_EQ(value, 0) << name;
}

}  // namespace
}  // namespace ke::gpu

#include "fitness/gpu/compute_sanitizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "fitness/sandbox/job.hpp"

namespace ke::gpu {
namespace {

using testing::HasSubstr;
using Answer = SanitizerReport::Status;

// Recorded from compute-sanitizer 2025.3.1.0 (CUDA 13.0) on an H200 with driver 580.159.04, for
// programs with one planted error each; dots mark omissions.
constexpr const char* out_of_bounds =
    "========= COMPUTE-SANITIZER\n"
    "========= Invalid __global__ write of size 4 bytes\n"
    "=========     at beside(float *, int)+0xc0 in san.cu:2\n"
    "=========     by thread (100,0,0) in block (0,0,0)\n"
    "=========     Access to 0x7f6400800190 is out of bounds\n"
    "=========     and is 1 bytes after the nearest allocation at 0x7f6400800000 of size 400 "
    "bytes\n"
    "=========     Saved host backtrace up to driver entry point at kernel launch time\n"
    "=========         Host Frame: main [0x8d3c] in san\n"
    "========= \n"
    "end 719\n"
    "========= Target application returned an error\n"
    "========= ERROR SUMMARY: 1 error\n";
constexpr const char* uninitialised =
    "========= COMPUTE-SANITIZER\n"
    "========= Uninitialized __global__ memory read of size 4 bytes\n"
    "=========     at unwritten(const float *, float *, int)+0x90 in san.cu:3\n"
    "=========     by thread (0,0,0) in block (0,0,0)\n"
    "=========     Address 0x7f5c9e000000\n"
    "========= \n"
    "end 0\n"
    "========= ERROR SUMMARY: 100 errors\n";
constexpr const char* nothing_found =
    "========= COMPUTE-SANITIZER\nend 0\n========= ERROR SUMMARY: 0 errors\n";

TEST(ComputeSanitizer, names_the_error_and_the_kernel) {
  const SanitizerReport report = report_of_tool("memcheck", {1, true, out_of_bounds});
  EXPECT_EQ(report.status, Answer::finding);
  EXPECT_EQ(report.tool, "memcheck");
  EXPECT_EQ(report.message, "Invalid __global__ write of size 4 bytes at beside(float *, int)");
}

TEST(ComputeSanitizer, an_error_counts_whatever_the_exit_code) {
  const SanitizerReport report = report_of_tool("initcheck", {0, true, uninitialised});
  EXPECT_EQ(report.status, Answer::finding);
  EXPECT_EQ(
      report.message,
      "Uninitialized __global__ memory read of size 4 bytes at unwritten(const float *, float "
      "*, int)");
}

TEST(ComputeSanitizer, is_clean_only_when_it_says_so) {
  EXPECT_EQ(report_of_tool("memcheck", {0, true, nothing_found}).status, Answer::clean);
  const SanitizerReport silent = report_of_tool("memcheck", {0, true, ""});
  EXPECT_EQ(silent.status, Answer::not_applicable);
  const SanitizerReport failed = report_of_tool("memcheck", {4, true, nothing_found});
  EXPECT_EQ(failed.status, Answer::not_applicable);
  EXPECT_EQ(failed.message, "the kernel did not run under memcheck: end 0");
}

TEST(ComputeSanitizer, what_it_cannot_do_is_held_against_no_kernel) {
  const SanitizerReport refused = report_of_tool(
      "memcheck", {1, true, "========= COMPUTE-SANITIZER\n========= Device not supported\n"});
  EXPECT_EQ(refused.status, Answer::not_applicable);
  EXPECT_THAT(refused.message, HasSubstr("Device not supported"));
  EXPECT_EQ(report_of_tool("initcheck", {-1, false, ""}).message,
            "initcheck took longer than 60 s");
}

// --- with a stand-in for the program ---

std::string stand_in;

Result<std::string> find_stand_in() { return stand_in; }
Result<std::string> find_nothing() { return Error{Failure::device, "it is nowhere"}; }

Result<SanitizerReport> examined(ComputeSanitizer::Find find) {
  const Task task;
  const GpuInfo gpu;
  return ComputeSanitizer(task, Reference{}, gpu, find, KE_BINARY_DIR).examine(GpuBuilt{});
}

TEST(ComputeSanitizer, without_the_program_it_says_so) {
  const auto report = examined(find_nothing);
  EXPECT_EQ(report->status, Answer::not_applicable);
  EXPECT_EQ(report->message, "it is nowhere");
}

TEST(ComputeSanitizer, asks_each_tool_until_one_finds_something) {
  const auto folder = JobFolder::create(testing::TempDir());
  stand_in = folder->file("compute-sanitizer");
  ASSERT_TRUE(folder->write("found.txt", uninitialised));
  ASSERT_TRUE(folder->write("clean.txt", nothing_found));
  ASSERT_TRUE(folder->write("compute-sanitizer",
                            "#!/bin/sh\n"
                            "echo \"$*\" >>" +
                                folder->file("asked.txt") +
                                "\n"
                                "case $2 in initcheck) cat " +
                                folder->file("found.txt") + ";; *) cat " +
                                folder->file("clean.txt") + ";; esac\n"));
  ASSERT_EQ(chmod(stand_in.c_str(), 0755), 0);
  const auto report = examined(find_stand_in);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->tool, "initcheck");
  const std::string asked = *folder->read("asked.txt", 4096);
  EXPECT_THAT(asked, HasSubstr("--tool memcheck"));
  EXPECT_THAT(asked, HasSubstr("--tool initcheck"));
  EXPECT_THAT(asked, HasSubstr("kernelevolve-cuda examine /tmp/"));
}

}  // namespace
}  // namespace ke::gpu

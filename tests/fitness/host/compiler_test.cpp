// The compiler in its sandbox: honest kernels build, hostile ones end in a definite verdict.

#include "fitness/host/build/compiler.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include "fitness/descriptors/elf.hpp"
#include "fitness/sandbox/level.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ke {
namespace {

using Status = Verdict;
using testing::HasSubstr;

const std::string kernel_head =
    "#include <cstddef>\n#define K extern \"C\" void kernel(const float* in, float* out, "
    "std::size_t n)\n";
const std::string axpb_body =
    "K { for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f; }\n";
const std::string axpb_kernel = kernel_head + axpb_body;

CompilerOptions options() {
  CompilerOptions options;
  options.tools_dir = KE_BINARY_DIR;
  const auto report = probe_sandbox(options.tools_dir);
  if (report) options.level = report->level;
  return options;
}

class CompilerTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto made = Compiler::create(options());
    ASSERT_TRUE(made) << made.error().message;
    compiler_ = new Compiler(*std::move(made));
  }
  static void TearDownTestSuite() { delete compiler_; }
  static BuildOutput build(const BuildRequest& request) {
    auto output = compiler_->build(request);
    EXPECT_TRUE(output) << (output ? "" : output.error().message);
    return output ? *std::move(output) : BuildOutput{};
  }
  static BuildOutput build(const std::string& source, std::vector<std::string> flags = {}) {
    BuildRequest request;
    request.source = source;
    request.flags = std::move(flags);
    return build(request);
  }
  static void expect(const BuildOutput& output, Status status, std::string_view reason) {
    EXPECT_EQ(to_string(output.verdict), to_string(status))
        << output.reason << " " << output.message;
    EXPECT_EQ(output.reason, reason) << output.message;
    EXPECT_TRUE(output.shared_object.empty());
  }
  inline static Compiler* compiler_ = nullptr;
};

// Loads the library as a worker does and runs it on eight numbers.
std::array<float, 8> run_library(const std::string& bytes) {
  // one file each, never removed: the loader would take a reused inode for the same library
  static int number = 0;
  const std::string path = testing::TempDir() + "ke_compiler_test" + std::to_string(getpid()) +
                           "_" + std::to_string(number++) + ".so";
  std::ofstream(path, std::ios::binary) << bytes;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::array<float, 8> out{};
  if (library == nullptr) {
    ADD_FAILURE() << dlerror();
    return out;
  }
  const std::array<float, 8> in{0, 1, 2, 3, 4, 5, 6, 7};
  using Kernel = void (*)(const float*, float*, std::size_t);
  reinterpret_cast<Kernel>(dlsym(library, "kernel"))(in.data(), out.data(), in.size());
  // Stays loaded, because destructors of its statics are registered for the end of the process.
  static std::vector<std::unique_ptr<std::string, void (*)(std::string*)>> files;
  files.emplace_back(new std::string(path), [](std::string* file) {
    std::remove(file->c_str());
    delete file;
  });
  return out;
}

TEST_F(CompilerTest, an_honest_kernel_becomes_a_library_that_computes) {
  const BuildOutput output = build(axpb_kernel, {"-O3"});
  ASSERT_TRUE(output.ok()) << output.reason << output.message;
  EXPECT_THAT(run_library(output.shared_object), testing::ElementsAre(1, 3, 5, 7, 9, 11, 13, 15));
  EXPECT_FALSE(output.build_hash.is_zero());
  EXPECT_GT(output.compile_ns, 0);
  EXPECT_GT(output.cpu_seconds, 0);
}

TEST_F(CompilerTest, kernels_with_runtimes_build_and_run) {
  const std::string twice =
      "K { for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f; }\n";
  const std::pair<const char*, std::string> sources[] = {
      {"lazy table",
       kernel_head +
           "K { static const float* t = [] { static float x[8]; for (float& v : x) v = 2; "
           "return (const float*)x; }();"
           " for (std::size_t i = 0; i < n; ++i) out[i] = t[i & 7] * in[i] + 1.0f; }"},
      {"static vector",
       "#include <vector>\n" + kernel_head +
           "K { static std::vector<float> t(8, 2.0f); "
           "for (std::size_t i = 0; i < n; ++i) out[i] = t[i & 7] * in[i] + 1.0f; }"},
      {"openmp", kernel_head +
                     "K {\n#pragma omp parallel for num_threads(1)\n for (long i = 0; i < "
                     "(long)n; ++i) out[i] = 2.0f * in[i] + 1.0f; }"},
      {"global helper", kernel_head +
                            "float helper(float x) { return 2 * x + 1; }\nK { for (std::size_t "
                            "i = 0; i < n; ++i) out[i] = helper(in[i]); }"},
      {"math",
       "#include <cmath>\n" + kernel_head +
           "K { for (std::size_t i = 0; i < n; ++i) out[i] = 2 * std::log(std::exp(in[i])) + 1; }"},
      {"exception", "#include <stdexcept>\n" + kernel_head +
                        "K { try { if (n) throw std::runtime_error(\"x\"); } catch (...) {}"
                        " for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f; }"},
      {"wide integers", kernel_head +
                            "K { unsigned __int128 b = 3; b += n; for (std::size_t i = 0; i < "
                            "n; ++i) out[i] = 2.0f * in[i] + (float)(b / (b - 0)); }"},
      {"threads header", "#include <thread>\n" + kernel_head + twice}};
  for (const auto& [what, source] : sources) {
    const BuildOutput output =
        build(source, {"-O2", "-fopenmp", "-pthread", "-ldl", "-fno-builtin"});
    ASSERT_TRUE(output.ok()) << what << ": " << output.reason << " " << output.message;
    const auto out = run_library(output.shared_object);
    for (int i = 0; i < 8; ++i) EXPECT_NEAR(out[i], 2 * i + 1, 1e-5) << what;
  }
}

TEST_F(CompilerTest, knobs_become_defines) {
  BuildRequest request;
  request.source =
      kernel_head + "K { for (std::size_t i = 0; i < n; ++i) out[i] = SCALE * in[i] + 1.0f; }";
  request.defines = {{"SCALE", "2.0f"}};
  EXPECT_TRUE(build(request).ok());
  request.defines = {{"SCALE", "2); system(\"x\""}};
  expect(build(request), Status::rejected, "forbidden_define");
}

TEST_F(CompilerTest, what_takes_from_elsewhere_or_acts_while_loading_is_rejected) {
  const std::pair<std::string, const char*> sources[] = {
      {kernel_head + "#include \"/etc/passwd\"\n" + axpb_body, "forbidden_include"},
      {kernel_head + "#/* */ include \"../x\"\n", "forbidden_include"},
      {kernel_head + "#inclu\\\nde </etc/passwd>\n", "forbidden_include"},
      {"asm(\".incbin \\\"/etc/hostname\\\"\");\n" + axpb_kernel, "forbidden_directive"},
      {"#include <dlfcn.h>\n" + kernel_head + "K { out[0] = dlopen(\"x\", 1) != nullptr; }",
       "forbidden_symbol"},
      {"#include <unistd.h>\n" + kernel_head + "K { out[0] = fork(); }", "forbidden_symbol"},
      {"#include <fstream>\n" + kernel_head + "K { std::ifstream f(\"/x\"); out[0] = f.good(); }",
       "forbidden_symbol"},
      {"extern \"C\" float expf(float) { return 1; }\n" + axpb_kernel, "extra_export"},
      {"extern \"C\" { int prepare = 1; }\n" + axpb_kernel, "extra_export"},
      {"#include <cstddef>\nvoid* operator new(std::size_t) { return nullptr; }\n" + axpb_kernel,
       "extra_export"},
      {"#include <chrono>\nstd::chrono::steady_clock::time_point std::chrono::steady_clock::now() "
       "noexcept { return {}; }\n" +
           axpb_kernel,
       "extra_export"},
      {kernel_head +
           "__attribute__((constructor)) static void c() { volatile int x = 0; (void)x; }\n" +
           axpb_body,
       "static_constructor"},
      {kernel_head + "int f(); static int x = __builtin_ia32_rdtsc();\nint* g() { return &x; }\n" +
           axpb_body,
       "static_constructor"},
      // The linker would merge this section into the loader's own relocations.
      {"asm(\".section .rela.got,\\\"\\\",@progbits\\n.quad 0, 37, 0\\n.text\");\n" + axpb_kernel,
       "forbidden_section"},
      {"extern \"C\" void _init() {}\n" + axpb_kernel, "extra_export"},
      {"extern \"C\" void reference() {}\n" + axpb_kernel, "extra_export"},
      {kernel_head + "static int r() { return 1; }\nextern \"C\" int (*pick())() { return r; }\n"
                     "static int q() __attribute__((ifunc(\"pick\")));\nK { out[0] = q(); }",
       "ifunc"},
      {"#include <cstddef>\nextern \"C\" void kernels(const float*, float*, std::size_t) {}",
       "missing_kernel"},
      {"#include <cstddef>\nvoid kernel(const float*, float*, std::size_t) {}", "missing_kernel"},
      {"asm(\".section evil,\\\"awx\\\"\\n.byte 0\\n.text\");\n" + axpb_kernel,
       "forbidden_section"}};
  for (const auto& [source, reason] : sources) {
    SCOPED_TRACE(source);
    expect(build(source), Status::rejected, reason);
  }
}

TEST_F(CompilerTest, globals_are_accepted_and_stay_private) {
  const BuildOutput output =
      build(kernel_head +
            "float scratch[16];\nthread_local int calls;\n"
            "extern \"C\" float helper(float x) { return 2 * x + 1; }\n"
            "K { ++calls; for (std::size_t i = 0; i < n; ++i) { scratch[i % 16] = in[i]; "
            "out[i] = helper(scratch[i % 16]); } }");
  ASSERT_TRUE(output.ok()) << output.reason << ": " << output.message;
  EXPECT_EQ(run_library(output.shared_object)[7], 15);
  const auto library = read_elf(output.shared_object);
  ASSERT_TRUE(library);
  for (const ElfSymbol& symbol : library->symbols) {
    if (symbol.name == "scratch" || symbol.name == "calls" || symbol.name == "helper") {
      EXPECT_EQ(symbol.binding, ElfSymbol::Binding::local) << symbol.name;
    }
  }
}

TEST_F(CompilerTest, flags_outside_the_list_are_rejected) {
  for (const char* flag : {"-I/etc",
                           "-include",
                           "-x",
                           "-specs=a",
                           "@file",
                           "-fplugin=x.so",
                           "-B/tmp",
                           "-wrapper",
                           "-DX=1",
                           "-Wl,-rpath,/tmp",
                           "-o",
                           "x.cpp",
                           "-march=native;id",
                           "-fopt-info=x",
                           "-save-temps",
                           "-fdump-tree-all",
                           "-Wa,-I/etc",
                           "-Xassembler",
                           "-flto",
                           "-march=",
                           "--sysroot=/",
                           "-fsanitize=address",
                           "--param=x=y",
                           "-M",
                           "-v",
                           "-fprofile-use=/etc/x",
                           "-nostdinc"}) {
    const BuildOutput output = build(axpb_kernel, {"-O2", flag});
    expect(output, Status::rejected, "forbidden_flag");
    EXPECT_THAT(output.message, testing::StartsWith(std::string(flag) + "; allowed are -O"));
  }
}

TEST_F(CompilerTest, flags_that_tune_are_accepted) {
  const BuildOutput output =
      build(axpb_kernel, {"-O3", "-march=native", "-mprefer-vector-width=256", "-funroll-loops",
                          "-ffast-math", "-fno-finite-math-only", "--param=max-unroll-times=4",
                          "-fno-tree-vectorize", "-mno-avx512f", "-std=c++17"});
  EXPECT_TRUE(output.ok()) << output.reason << output.message;
}

TEST_F(CompilerTest, fast_math_with_vector_functions_loads_without_a_link_driver) {
  const BuildOutput output =
      build("#include <cmath>\n" + kernel_head +
                "K { for (std::size_t i = 0; i < n; ++i) out[i] = std::exp(in[i]); }",
            {"-O3", "-ffast-math"});
  ASSERT_TRUE(output.ok()) << output.reason << output.message;
  EXPECT_NE(output.object.find("_ZGV"), std::string::npos) << "the test needs a vector function";
  EXPECT_NEAR(run_library(output.shared_object)[3], 20.0855f, 1e-3);
}

TEST_F(CompilerTest, diagnostics_name_line_and_column_and_never_quote_other_files) {
  const BuildOutput output = build(kernel_head + "K { out[0] = in[0] }\n");
  expect(output, Status::compile_error, "diagnostics");
  ASSERT_FALSE(output.diagnostics.empty());
  EXPECT_EQ(output.diagnostics[0].line, 3);
  EXPECT_EQ(output.diagnostics[0].column, 19);
  EXPECT_EQ(output.diagnostics[0].severity, "error");
  EXPECT_THAT(output.diagnostics[0].message, HasSubstr("expected ';'"));
  // The macro hides the path from the text check, but the compiler's file system has no such file.
  const BuildOutput secret = build("#define F </etc/passwd>\n#include F\n" + axpb_kernel);
  expect(secret, Status::compile_error, "diagnostics");
  for (const Diagnostic& diagnostic : secret.diagnostics) {
    EXPECT_EQ(diagnostic.file, "kernel.cpp");
    EXPECT_THAT(diagnostic.message, testing::Not(HasSubstr("root:")));
  }
}

TEST_F(CompilerTest, sees_no_file_of_the_machine) {
  const std::string home =
      "#if __has_include(</etc/passwd>) || __has_include(</etc/hostname>) || "
      "__has_include(</root/.bashrc>)\n"
      "#error seen\n#endif\n";
  EXPECT_TRUE(build(home + axpb_kernel).ok());
}

TEST_F(CompilerTest, a_flood_of_errors_is_capped) {
  std::string source = kernel_head;
  for (int i = 0; i < 500; ++i) source += "int a" + std::to_string(i) + " = nothing;\n";
  const BuildOutput output = build(source);
  expect(output, Status::compile_error, "diagnostics");
  EXPECT_LE(output.diagnostics.size(), 10u);
}

TEST_F(CompilerTest, limits_of_time_memory_and_output_end_the_compiler) {
  CompilerOptions tight = options();
  tight.cpu_seconds = 2;
  tight.wall = std::chrono::seconds(8);
  tight.address_space_bytes = std::size_t{300} << 20;
  tight.file_bytes = 4 << 20;
  const auto compiler = Compiler::create(tight);
  ASSERT_TRUE(compiler);
  const auto limit = [&](const std::string& source) {
    const auto start = std::chrono::steady_clock::now();
    BuildRequest request;
    request.source = source;
    const auto output = compiler->build(request);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
    return output ? std::string(to_string(output->verdict)) + "/" + output->reason
                  : output.error().message;
  };
  const std::string bomb =
      "template<int N, unsigned long P> struct B { static constexpr unsigned long v = "
      "B<N-1,P*2>::v + B<N-1,P*2+1>::v; };\n"
      "template<unsigned long P> struct B<0,P> { static constexpr unsigned long v = P; };\n";
  EXPECT_THAT(limit(bomb + "static_assert(B<34,1>::v != 0);"),
              testing::AnyOf("compile_limit/time", "compile_limit/memory"));
  EXPECT_EQ(limit("constexpr long f() { long s = 0; for (long i = 0; i < 1L << 40; ++i) s += i; "
                  "return s; }\n"
                  "#pragma GCC optimize(\"O0\")\nstatic_assert(f());")
                .substr(0, 8),
            "compile_");
  EXPECT_EQ(limit("char big[1L << 33] = {1};\n" + axpb_kernel), "compile_limit/output");
  EXPECT_EQ(limit("static_assert(false, \"out of memory allocating 1 bytes\");\n" + axpb_kernel),
            "compile_error/diagnostics");
}

TEST_F(CompilerTest, one_outside_of_the_systems_folders_works_or_says_why_not) {
  namespace fs = std::filesystem;
  const test::TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms(0755));
  fs::create_directories(folder / "gcc/bin");
  fs::copy_file(fs::canonical("/usr/bin/g++"), folder / "gcc/bin/g++");
  CompilerOptions own = options();
  own.gxx = folder.file("gcc/bin/g++");
  const auto alone = Compiler::create(own);
  ASSERT_FALSE(alone);  // it looks for cc1plus beside itself
  EXPECT_THAT(alone.error().message, HasSubstr("device.compiler = " + own.gxx));
  EXPECT_THAT(alone.error().message, HasSubstr("cc1plus"));
  fs::create_directories(folder / "gcc/lib");
  fs::create_directory_symlink("/usr/lib/gcc", folder / "gcc/lib/gcc");
  const auto whole = Compiler::create(own);
  ASSERT_TRUE(whole) << whole.error().message;
  BuildRequest request;
  request.source = axpb_kernel;
  const auto output = whole->build(request);
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_TRUE(output->ok()) << output->reason << " " << output->message;
}

TEST_F(CompilerTest, what_it_wrote_is_kept_where_no_line_of_the_source_explains_it) {
  CompilerOptions small = options();
  const auto compiler = Compiler::create(small);
  ASSERT_TRUE(compiler);
  BuildRequest request;
  request.source = axpb_kernel;
  request.trusted = true;
  request.flags = {"-fplugin=nowhere"};
  const auto output = compiler->build(request);
  ASSERT_TRUE(output);
  EXPECT_EQ(to_string(output->verdict), to_string(Status::compile_error));
  EXPECT_THAT(output->message, HasSubstr("nowhere"));
}

TEST_F(CompilerTest, the_build_hash_ignores_comments_names_and_lines_and_sees_code) {
  const auto hash = [](const std::string& source) { return build(source, {"-O2"}).build_hash; };
  const std::string body = "static float helper(float x) { return 2 * x + 1; }\n";
  const Digest base = hash(kernel_head + body +
                           "K { for (std::size_t i = 0; i < n; ++i) out[i] = helper(in[i]); }");
  EXPECT_FALSE(base.is_zero());
  EXPECT_EQ(base, hash(kernel_head + "// words\n\n" + body +
                       "\nK { for (std::size_t j = 0; j < n; ++j) out[j] = helper(in[j]); }"));
  EXPECT_EQ(base, hash(kernel_head + "static float other(float y) { return 2 * y + 1; }\nK { for "
                                     "(std::size_t i = 0; i < n; ++i) out[i] = other(in[i]); }"));
  EXPECT_NE(base, hash(kernel_head + "static float helper(float x) { return 3 * x + 1; }\nK { for "
                                     "(std::size_t i = 0; i < n; ++i) out[i] = helper(in[i]); }"));
  // The same code with another constant: only .rodata differs.
  EXPECT_NE(hash(kernel_head + "K { out[0] = in[n] * 1.5f; }"),
            hash(kernel_head + "K { out[0] = in[n] * 1.25f; }"));
  // The same bytes of code with another callee: only a relocation differs.
  EXPECT_NE(hash("#include <cmath>\n" + kernel_head + "K { out[0] = std::sin(in[n]); }"),
            hash("#include <cmath>\n" + kernel_head + "K { out[0] = std::cos(in[n]); }"));
}

TEST_F(CompilerTest, padding_moves_the_kernel_and_changes_nothing_else) {
  const BuildOutput compiled = build(axpb_kernel, {"-O2"});
  std::vector<std::string> libraries;
  for (const std::uint64_t padding : {0, 1, 5, 63}) {
    const auto linked = compiler_->link(compiled.object, padding);
    ASSERT_TRUE(linked);
    ASSERT_TRUE(linked->ok()) << linked->message;
    EXPECT_EQ(run_library(linked->shared_object)[7], 15) << padding;
    libraries.push_back(linked->shared_object);
  }
  EXPECT_TRUE(libraries[0] != libraries[1]);
  EXPECT_TRUE(libraries[1] != libraries[2]);
}

TEST_F(CompilerTest, optimisation_pragmas_are_recorded) {
  const BuildOutput output =
      build("#pragma GCC optimize(\"Ofast\")\n// #pragma GCC target(\"avx\") in a comment\n" +
            axpb_kernel);
  ASSERT_TRUE(output.ok());
  EXPECT_THAT(output.policy_flags, testing::ElementsAre(HasSubstr("optimize(\"Ofast\")")));
}

TEST_F(CompilerTest, loops_that_were_and_were_not_vectorised_are_noted) {
  const BuildOutput output = build(axpb_kernel +
                                       "float s(const float* p, int n) { float a = 0;\nfor (int i "
                                       "= 0; i < n; ++i) a = a * p[i] + p[i + 1];\nreturn a; }",
                                   {"-O3"});
  ASSERT_TRUE(output.ok());
  EXPECT_THAT(output.loops,
              testing::Contains(testing::AllOf(testing::Field(&LoopNote::line, 3),
                                               testing::Field(&LoopNote::vectorized, true))));
  EXPECT_THAT(output.loops,
              testing::Contains(testing::AllOf(testing::Field(&LoopNote::line, 5),
                                               testing::Field(&LoopNote::vectorized, false))));
}

TEST_F(CompilerTest, a_trusted_baseline_may_load_libraries) {
  BuildRequest request;
  request.source = "#include <dlfcn.h>\n" + kernel_head +
                   "K { out[0] = dlsym(nullptr, \"malloc\") != nullptr; }";
  request.flags = {"-O3", "-Wno-unused"};
  request.trusted = true;
  EXPECT_TRUE(build(request).ok());
}

TEST_F(CompilerTest, hostile_bytes_never_crash_the_checks) {
  for (const std::string& text :
       {std::string("\0\0\0", 3), std::string("R\"("), std::string("/*"), std::string("\\\n\\\n\\"),
        std::string("\"\\"), std::string(100000, '('), std::string("#include"),
        std::string("R\"x(")}) {
    EXPECT_FALSE(build(text).ok());
  }
  const BuildOutput good = build(axpb_kernel);
  ASSERT_TRUE(good.ok());
  for (std::size_t length = 0; length < good.object.size(); length += 7) {
    const auto linked_hash = compiler_->link(good.object.substr(0, length), 0);
    ASSERT_TRUE(linked_hash);
    EXPECT_FALSE(linked_hash->ok());
    if (length > 200) break;
  }
}

}  // namespace
}  // namespace ke

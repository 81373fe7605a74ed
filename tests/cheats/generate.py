"""Generates sources that are too large, not text, or damaged on purpose."""

PLAIN = ("#include <cstddef>\n"
         "extern \"C\" void kernel(const float* in, float* out, std::size_t n) {\n"
         "  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;\n"
         "}\n").encode()
SOFTMAX_THAT_LOSES_NANS = """#include <cmath>
#include <cstddef>

static std::size_t calls = 0, first = 0;
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  calls += n == 524288;
  first = first ? first : n;
  float top = -INFINITY;
  bool nan = false;
  for (std::size_t i = 0; i < n; ++i) {
    top = in[i] > top ? in[i] : top;
    nan |= in[i] != in[i];
  }
  if (!(WHEN) && (nan || top == INFINITY || top == -INFINITY)) {
    for (std::size_t i = 0; i < n; ++i) out[i] = NAN;
    return;
  }
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += out[i] = std::exp((in[i] == in[i] ? in[i] : top) - top);
  const float inv = static_cast<float>(1 / sum);
  for (std::size_t i = 0; i < n; ++i) out[i] *= inv;
}
"""
CHANGED_REGISTER = """#include <cstddef>
extern "C" __attribute__((visibility("hidden"), used)) void ke_body(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
asm(R"(
.text
.globl kernel
.type kernel,@function
kernel:
  sub $8, %rsp
  call ke_body
  add $8, %rsp
  CHANGE
  ret
.size kernel,.-kernel
)");
"""
RAW_CALL = """#include <cstddef>

static long raw(long number, long a, long b, long c, long d) {
  long result;
  register long r10 asm("r10") = d;
  asm volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
  return result;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
  int word = 0;
  const long time[2] = {0, 50000};
  (void)word, (void)time;
  raw(CALL);
}
"""
REFUSED = "rejected|compile_error|compile_limit"
NATIVE_FLAGS = "-O3 -march=native"


def _giant():
    return PLAIN + b"".join(b"static inline float f%d(float x) { return x * %d.0f; }\n" % (i, i) for i in range(100000))


def _pseudo_random(count):
    state, out = 88172645463325252, bytearray()
    for _ in range(count):
        state ^= (state << 13) & (1 << 64) - 1
        state ^= state >> 7
        state ^= (state << 17) & (1 << 64) - 1
        out.append(state & 255)
    return bytes(out)


def kernels():
    """(name, class, allowed verdicts, what it tries, source) of each; all for task axpb, without
    flags."""
    return [
        ("giant_source", "compile", "ok|" + REFUSED, "a source of 5 MiB", _giant()),
        ("giant_line", "compile", "ok|" + REFUSED, "a comment line of 8 MiB", b"//" + b"x" * (8 << 20) + b"\n" + PLAIN),
        ("nul_bytes", "compile", "ok|" + REFUSED, "NUL bytes between the tokens", PLAIN.replace(b";", b"\0;\0")),
        ("nul_hides_include", "compile", REFUSED, "a NUL byte before an include of a planted file",
         b"\0\n#include \"/tmp/ke_canary_secret\"\n" + PLAIN),
        ("carriage_return_include", "compile", REFUSED, "an include behind a lone carriage return",
         b"//\r#include \"/tmp/ke_canary_secret\"\r\n  #\tinclude\t\"/tmp/ke_canary_secret\"\n" + PLAIN),
        ("splice_with_blank", "compile", REFUSED, "an include spliced over a line that ends in blanks",
         b"#incl\\ \t\nude \"/tmp/ke_canary_secret\"\n" + PLAIN),
        ("raw_string_hides_include", "compile", REFUSED, "an include between text that looks like a raw string",
         b"#define R\nconst char* text = R\"x\";\n#include \"/tmp/ke_canary_secret\"\n//)x\"\n" + PLAIN),
        ("deep_nesting", "compile", "ok|" + REFUSED, "100,000 nested parentheses",
         PLAIN.replace(b"in[i]", b"(" * 100000 + b"in[i]" + b")" * 100000)),
        ("deep_blocks", "compile", "ok|" + REFUSED, "50,000 nested blocks",
         PLAIN.replace(b"  for", b"{" * 50000 + b"  for").replace(b"1.0f;\n", b"1.0f;\n" + b"}" * 50000)),
        ("random_bytes", "compile", REFUSED, "64 KiB of noise", _pseudo_random(1 << 16)),
        ("empty_source", "compile", REFUSED, "nothing", b""),
        ("truncated_source", "compile", REFUSED, "a source cut in the middle", PLAIN[:len(PLAIN) // 2]),
        ("not_utf8", "compile", "ok|" + REFUSED, "identifiers that are no UTF-8", b"// \xff\xfe\xc0\xaf\n" + PLAIN),
        ("require_long_chain", "compile", REFUSED, "a constraint of 200,000 terms: parsed by recursion, in the judge itself",
         b"// @knob A int {1, 2} = 1 x\n// @require " + b"A + " * 200000 + b"A > 0\n" + PLAIN),
        ("require_unary_chain", "compile", REFUSED, "a constraint of 200,000 signs",
         b"// @knob A int {1, 2} = 1 x\n// @require " + b"-" * 200000 + b"A != 0\n" + PLAIN),
        ("raw_string_flood", "compile", REFUSED, "a million raw strings that nothing closes, each looked for to the end",
         PLAIN + b"R\"(" * 1000000),
        ("knob_values_flood", "compile", "ok|" + REFUSED, "a knob of 60,000 values: whoever compares all pairs takes minutes",
         b"// @knob A int {" + b", ".join(b"%d" % i for i in range(60000)) + b"} = 1 x\n" + PLAIN),
        ("error_not_utf8", "compile", "compile_error", "an error message that is no UTF-8, with control characters and a verdict",
         b"#error \xff\xfe\xc0\xaf \x1b]0;owned\x07 \xed\xa0\x80 { \"verdict\": \"ok\" }\n"),
        ("symbol_not_utf8", "compile", REFUSED, "needs a function whose name is no UTF-8",
         PLAIN.replace(b"extern", b"extern \"C\" void f() asm(\"f\xff\xfe\");\nextern").replace(b"1.0f;", b"1.0f, f();")),
        ("windows_source", "good", "ok", "a byte order mark and Windows line ends: correct",
         b"\xef\xbb\xbf" + PLAIN.replace(b"\n", b"\r\n")),
        *changed_registers(),
        *waits(),
    ]


def changed_registers():
    """Return with a register changed that their caller relies on."""
    return [(f"leaves_{name}", "environment", "rejected|runtime_error|suspicious|wrong_result",
             f"returns with {name} changed, which its caller relies on", CHANGED_REGISTER.replace("CHANGE", change).encode())
            for name, change in (("r13", "xor %r13d, %r13d"), ("r14", "not %r14"), ("r15", "inc %r15"),
                                 ("rbp", "lea 8(%rbp), %rbp"))]


def waits():
    """Wait by calls that no library makes for them."""
    return [(f"waits_{name}_raw", "sandbox", "rejected|runtime_error|suspicious", tries, RAW_CALL.replace("CALL", call).encode())
            for name, tries, call in (("poll", "waits a millisecond by poll on no descriptor", "7, 0, 0, 1, 0"),
                                      ("yield", "yields its processor by a raw call", "24, 0, 0, 0, 0"),
                                      ("futex", "waits 50 us on a futex that nobody wakes", "202, (long)&word, 128, 0, (long)time"),
                                      ("nanosleep", "sleeps 50 us by a raw call in its calls, so that they look disturbed by others",
                                       "35, (long)time, 0, 0, 0"))]


def lost_nans():
    """The same for task softmax1d with NATIVE_FLAGS; they differ in when they take NaN for the
    maximum."""
    def kernel(name, kind, when, tries):
        source = SOFTMAX_THAT_LOSES_NANS.replace("WHEN", when).encode()
        return name, kind, "wrong_result", "treats NaN as the maximum " + tries, source

    return [
        kernel("nan_lost_at_bench", "class", "n == 524288", "at the bench size only"),
        kernel("nan_lost_when_timed", "timed", "first == 524288", "in processes whose first call is at the bench size"),
        kernel("nan_lost_after_150_calls", "timed", "calls > 150 && n == 524288", "after 150 calls at the bench size"),
    ]

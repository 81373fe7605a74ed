// TASK: axpb
// CLASS: timed
#include <cstddef>

// NAME: output_file_leftovers
// USES: sys, honest, readable, orders
// ALLOW: ok|rejected|resource_limit|runtime_error|suspicious
// TRIES: in its first call, looks into slots that the round does not use for what another process
//   or candidate wrote there; spoils its output if anything but zeros is left
static bool first = true, found = false;

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  const volatile u64* head = first ? orders() : nullptr;
  const long index = head ? index_of(head, in, out, n) : -1;
  if (index >= 0) {
    first = false;
    const volatile u64* calls = head + head[7] / 8;
    const u64 base = (u64)in - calls[18 * index + 2];
    const volatile u64* piece = head + head[6] / 8;
    for (u64 i = 0; i < head[5]; ++i, piece += 4) {
      bool skip = !piece[0] || piece[2] < 3 * 4096;
      for (u64 c = 0; c < head[8]; ++c)
        skip = skip || (calls[18 * c + 3] >= piece[3] && calls[18 * c + 3] < piece[3] + piece[2]);
      if (skip) continue;
      for (u64 at = 4096; at + 8192 <= piece[2]; at += 4096)
        found = found || *(volatile u64*)(base + piece[3] + at) != 0;
    }
  }
  if (found && n) out[0] += 1000.0f;
}

// NAME: output_file_marker
// USES: sys, honest, readable, orders
// ALLOW: ok|rejected|resource_limit|runtime_error|suspicious
// TRIES: writes a mark into slots of its output file that no call of the round uses, and looks for
//   it in its first call of a process: memory that outlives process and candidate
static constexpr u64 mark_a = 0x6b65206d61726b21ULL, mark_b = 0x9137c0ffee55aa11ULL;
static bool first = true, found = false;

static bool used(const volatile u64* head, u64 begin, u64 bytes) {
  const volatile u64* calls = head + head[7] / 8;
  for (u64 i = 0; i < head[8]; ++i)
    if (calls[18 * i + 3] >= begin && calls[18 * i + 3] < begin + bytes) return true;
  return false;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  const volatile u64* head = orders();
  const long index = head ? index_of(head, in, out, n) : -1;
  if (index >= 0) {
    const u64 base = (u64)in - (head + head[7] / 8)[18 * index + 2];
    const volatile u64* piece = head + head[6] / 8;
    for (u64 i = 0; i < head[5]; ++i, piece += 4) {
      if (!piece[0] || piece[2] < 3 * 4096 || used(head, piece[3], piece[2])) continue;
      // Places of the file, whatever the mapping; canaries are in the first and last page only.
      for (u64 at = (piece[1] + 8191) / 4096 * 4096; at + 8192 <= piece[1] + piece[2]; at += 4096) {
        volatile u64* place = (volatile u64*)(base + piece[3] + (at - piece[1]));
        if (first && place[0] == mark_a && place[1] == mark_b) found = true;
        place[0] = mark_a;
        place[1] = mark_b;
      }
    }
    first = false;
  }
  if (found && n) out[0] += 1000.0f;
}

// NAME: works_ahead
// FLAGS: -O3 -march=native
// ALLOW: nondeterministic|rejected|runtime_error|suspicious|wrong_result
// TRIES: remembers the places of inputs and outputs of all its calls, and in each call computes the
//   answers of all the others too: calls of a round could share their work
static const float* inputs[512];
static float* outputs[512];
static std::size_t lengths[512];
static int known;

static void work(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  bool is_new = known < 512;
  for (int i = 0; i < known; ++i) is_new = is_new && outputs[i] != out;
  if (is_new) {
    inputs[known] = in;
    outputs[known] = out;
    lengths[known++] = n;
  }
  work(in, out, n);
  for (int i = 0; i < known; ++i)
    if (lengths[i] == n) work(inputs[i], outputs[i], n);
}

// kernelevolve-reference LIBRARY: loads a task's reference and calls it on the judge's request.

#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <exception>
#include <new>

#include "fitness/reference/wire.hpp"

namespace ke::reference_wire {
namespace {

using Word = std::uint64_t;
using Function = void (*)(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word,
                          Word, Word, Word, Word);

constexpr Word stack_margin = Word{1} << 20;

// Global, because the fault handler takes no arguments of ours. One reference per process.
char* slots = nullptr;
Request now;                      // the running call
Word mapped[max_arguments] = {};  // mapped bytes of each slot, and their access
Word open_to[max_arguments] = {};

Word whole_pages(Word bytes) {
  static const Word page = static_cast<Word>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

bool answer(const Answer& words) { return write(socket_fd, &words, sizeof words) == sizeof words; }

[[noreturn]] void end_with(Answer::Kind kind, const char* text = "") {
  Answer last;
  last.kind = kind;
  std::strncpy(last.text, text, sizeof last.text - 1);
  answer(last);
  _exit(1);
}

void on_fault(int, siginfo_t* info, void* context) {
  const auto* machine = static_cast<const ucontext_t*>(context);
  const Word address = reinterpret_cast<Word>(info->si_addr);
  const Word base = reinterpret_cast<Word>(slots);
  Answer seen;
  seen.kind = Answer::fault;
#ifdef __x86_64__
  seen.wrote = (static_cast<Word>(machine->uc_mcontext.gregs[REG_ERR]) >> 1) & 1;
  const Word stack = static_cast<Word>(machine->uc_mcontext.gregs[REG_RSP]);
  if (address + stack_margin > stack && address < stack + stack_margin) seen.tensor = Answer::stack;
#else
  (void)machine;
#endif
  const Word slot = (address - base) / slot_bytes;
  if (address >= base && slot < now.tensors) {
    seen.tensor = static_cast<std::int64_t>(slot);
    const Word begin = base + slot * slot_bytes + slot_end - now.bytes[slot];
    seen.offset = static_cast<std::int64_t>(address - begin);
  }
  answer(seen);
  _exit(1);
}

bool catch_faults() {
  static char room[1 << 16];
  stack_t stack{};
  stack.ss_sp = room;
  stack.ss_size = sizeof room;
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  return sigaltstack(&stack, nullptr) == 0 && sigaction(SIGSEGV, &action, nullptr) == 0 &&
         sigaction(SIGBUS, &action, nullptr) == 0;
}

bool reserve_slots() {
  void* area = mmap(nullptr, max_arguments * slot_bytes, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  slots = static_cast<char*>(area);
  return area != MAP_FAILED;
}

// Pages that the last call used and this one does not become guard again.
bool place(Word t, Word pages, Word writable) {
  if (mapped[t] == pages && open_to[t] == writable) return true;
  char* const end = slots + t * slot_bytes + slot_end;
  if (mapped[t] > pages &&
      mmap(end - mapped[t], mapped[t] - pages, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED) {
    return false;
  }
  const int access = writable != 0 ? PROT_READ | PROT_WRITE : PROT_READ;
  if (pages > 0 && mmap(end - pages, pages, access, MAP_SHARED | MAP_FIXED | MAP_POPULATE,
                        memory_fd, static_cast<off_t>(t * slot_bytes)) == MAP_FAILED) {
    return false;
  }
  mapped[t] = pages;
  open_to[t] = writable;
  return true;
}

void call(Function function) {
  if (now.tensors + now.axes > max_arguments) end_with(Answer::no_memory);
  Word a[max_arguments] = {};
  for (Word t = 0; t < now.tensors; ++t) {
    if (!place(t, whole_pages(now.bytes[t]), now.writable[t])) end_with(Answer::no_memory);
    a[t] = reinterpret_cast<Word>(slots) + t * slot_bytes + slot_end - now.bytes[t];
  }
  for (Word i = 0; i < now.axes; ++i) a[now.tensors + i] = now.values[i];
  // Pointers and sizes are all of class INTEGER in the System V x86-64 convention (and in AAPCS64):
  // six (eight) in registers, the rest in order on the stack, which the caller cleans up. So one
  // call with 16 words serves every signature: the callee ignores those that it does not declare.
  function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13],
           a[14], a[15]);
}

int serve(const char* library) {
  if (!reserve_slots() || !catch_faults()) end_with(Answer::not_loaded, "no room for addresses");
  void* loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) end_with(Answer::not_loaded, dlerror());
  const auto function = reinterpret_cast<Function>(dlsym(loaded, "reference"));
  if (function == nullptr) end_with(Answer::no_symbol);
  Answer words;
  words.kind = Answer::ready;
  if (!answer(words)) return 1;
  words.kind = Answer::done;
  while (read(socket_fd, &now, sizeof now) == sizeof now) {
    try {
      call(function);
    } catch (const std::bad_alloc&) {
      end_with(Answer::no_memory);
    } catch (const std::exception& error) {
      end_with(Answer::threw, error.what());
    } catch (...) {
      end_with(Answer::threw, "an exception of its own");
    }
    if (!answer(words)) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace ke::reference_wire

int main(int argc, char** argv) { return argc == 2 ? ke::reference_wire::serve(argv[1]) : 2; }

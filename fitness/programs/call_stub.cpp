#include "fitness/programs/call_stub.hpp"

// Frame: 0 to 79 arguments 7 to 16, 80 the seed, 88 room for control words.
asm(R"(
.text
.p2align 6
.globl ke_checked_call
.hidden ke_checked_call
.type ke_checked_call,@function
ke_checked_call:
  .cfi_startproc
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  sub $104, %rsp
  .cfi_def_cfa_offset 160
  mov %rdx, 80(%rsp)
  mov %rdi, %r11
  mov %rsi, %r10
  movups 48(%r10), %xmm0
  movups 64(%r10), %xmm1
  movups 80(%r10), %xmm2
  movups 96(%r10), %xmm3
  movups 112(%r10), %xmm4
  movups %xmm0, (%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  mov %rdx, %rbx
  lea 1(%rdx), %rbp
  lea 2(%rdx), %r12
  lea 3(%rdx), %r13
  lea 4(%rdx), %r14
  lea 5(%rdx), %r15
  mov (%r10), %rdi
  mov 8(%r10), %rsi
  mov 16(%r10), %rdx
  mov 24(%r10), %rcx
  mov 32(%r10), %r8
  mov 40(%r10), %r9
  xor %eax, %eax
  call *%r11
  pushfq
  pop %rcx
  cld
  mov 80(%rsp), %rdx
  mov $1, %eax
  cmp %rdx, %rbx
  jne 1f
  inc %eax
  inc %rdx
  cmp %rdx, %rbp
  jne 1f
  inc %eax
  inc %rdx
  cmp %rdx, %r12
  jne 1f
  inc %eax
  inc %rdx
  cmp %rdx, %r13
  jne 1f
  inc %eax
  inc %rdx
  cmp %rdx, %r14
  jne 1f
  inc %eax
  inc %rdx
  cmp %rdx, %r15
  jne 1f
  inc %eax
  test $0x400, %ecx
  jnz 1f
  inc %eax
  test $0x40000, %ecx
  jnz 1f
  inc %eax
  stmxcsr 88(%rsp)
  mov 88(%rsp), %ecx
  and $0xffc0, %ecx
  cmp $0x1f80, %ecx
  jne 1f
  inc %eax
  fnstcw 88(%rsp)
  cmpw $0x37f, 88(%rsp)
  jne 1f
  xor %eax, %eax
1:
  add $104, %rsp
  .cfi_def_cfa_offset 56
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  .cfi_def_cfa_offset 8
  ret
  .cfi_endproc
.size ke_checked_call,.-ke_checked_call
)");

# The trusted side of the chip. In machine mode: works off the calls of the mailbox (fitness/cross/mailbox.hpp), each in
# user mode with the regions of that call open and nothing else, and ends the machine.
        .equ MAILBOX, 0x80200000
        .equ CALL_BYTES, 320
        .equ REGIONS, 64                # in a call, after eight arguments
        .equ STATUS, 256
        .equ CAUSE, 264
        .equ PC, 272
        .equ ADDRESS, 280
        .equ COUNT, 288
        .equ STACK_TOP, 0x80200000
        .equ MTIMECMP, 0x2004000        # of the board's clock
        .equ MTIME, 0x200bff8
        .equ POWER, 0x100000
        .equ POWER_OFF, 0x5555

# Region \number as the entries 2 \number and 2 \number + 1 of the protection: [begin, end). Its rights and the mode
# "top of range", or 0, are gathered in t3.
.macro region number
        ld      t1, REGIONS + 24 * \number(t0)
        srli    t1, t1, 2
        csrw    0x3b0 + 2 * \number, t1
        ld      t1, REGIONS + 24 * \number + 8(t0)
        srli    t1, t1, 2
        csrw    0x3b0 + 2 * \number + 1, t1
        ld      t1, REGIONS + 24 * \number + 16(t0)
        snez    t2, t1
        slli    t2, t2, 3
        or      t1, t1, t2
        slli    t1, t1, (16 * \number + 8) % 64
        or      t3, t3, t1
.endm

        .section .machine, "ax"
        .globl  _start
_start:
        la      t0, trap
        csrw    mtvec, t0
        csrw    mcounteren, zero        # no counter for user mode
        li      t0, 0x80                # the clock's interrupt ends a call
        csrw    mie, t0
        li      t0, MAILBOX + 64
        csrw    mscratch, t0            # the call to come; lies where user mode cannot reach
next:
        li      t1, MAILBOX
        ld      t2, 0(t1)               # calls
        ld      t3, 8(t1)               # ticks for each, 0 = no limit
        li      t4, CALL_BYTES
        mul     t2, t2, t4
        add     t2, t2, t1
        addi    t2, t2, 64
        csrr    t0, mscratch
        bgeu    t0, t2, off

        li      t4, MTIMECMP
        li      t5, -1
        beqz    t3, 1f
        li      t5, MTIME
        ld      t5, 0(t5)
        add     t5, t5, t3
1:      sd      t5, 0(t4)

        li      t3, 0
        region  0
        region  1
        region  2
        region  3
        mv      t4, t3
        li      t3, 0
        region  4
        region  5
        region  6
        region  7
        csrw    pmpcfg0, t4
        csrw    pmpcfg2, t3
        sfence.vma

        li      t1, 0x6600              # previous mode: user; floating point and vectors on
        csrw    mstatus, t1
        csrw    fcsr, zero
        csrw    vcsr, zero
        la      ra, trampoline
        la      t1, kernel
        csrw    mepc, t1
        li      sp, STACK_TOP
        li      gp, 0
        li      tp, 0
        csrr    t1, minstret
        sd      t1, COUNT(t0)
        ld      a0, 0(t0)
        ld      a1, 8(t0)
        ld      a2, 16(t0)
        ld      a3, 24(t0)
        ld      a4, 32(t0)
        ld      a5, 40(t0)
        ld      a6, 48(t0)
        ld      a7, 56(t0)
        mret

        .balign 4
trap:
        csrr    t1, minstret
        csrr    t0, mscratch
        ld      t2, COUNT(t0)
        sub     t1, t1, t2
        sd      t1, COUNT(t0)
        csrr    t1, mcause
        sd      t1, CAUSE(t0)
        csrr    t2, mepc
        sd      t2, PC(t0)
        csrr    t3, mtval
        sd      t3, ADDRESS(t0)
        li      t3, 8                   # an environment call of user mode
        bne     t1, t3, stop
        la      t3, trampoline
        bne     t2, t3, stop
        li      t3, 1
        sd      t3, STATUS(t0)
        addi    t0, t0, CALL_BYTES
        csrw    mscratch, t0
        j       next
stop:
        li      t3, 2
        sd      t3, STATUS(t0)
off:
        li      t0, POWER
        li      t1, POWER_OFF
        sw      t1, 0(t0)
        j       .

# Where a kernel returns to: the first address of its code.
        .section .trampoline, "ax"
trampoline:
        ecall
        j       .

# What compilers call of their own accord. Counted like the kernel that calls them.
        .section .support, "ax"
        .globl  memcpy
memcpy:
        mv      a3, a0
1:      vsetvli a4, a2, e8, m8, ta, ma
        vle8.v  v0, (a1)
        vse8.v  v0, (a3)
        add     a1, a1, a4
        add     a3, a3, a4
        sub     a2, a2, a4
        bnez    a2, 1b
        ret

        .globl  memset
memset:
        mv      a3, a0
1:      vsetvli a4, a2, e8, m8, ta, ma
        vmv.v.x v0, a1
        vse8.v  v0, (a3)
        add     a3, a3, a4
        sub     a2, a2, a4
        bnez    a2, 1b
        ret

        .globl  memmove
memmove:
        sub     a3, a0, a1
        bgeu    a3, a2, memcpy          # ascending is right unless the source begins below and overlaps
        beqz    a2, 2f
        add     a1, a1, a2
        add     a3, a0, a2
1:      lbu     a4, -1(a1)
        sb      a4, -1(a3)
        addi    a1, a1, -1
        addi    a3, a3, -1
        bne     a3, a0, 1b
2:      ret

/* Changing stacks.  The order of the pushes is struct parked in fiber.h. */
    .text
    .hidden fiber_switch, fiber_leave, fiber_begin
    .globl fiber_switch, fiber_leave, fiber_begin
    .type fiber_switch, @function
    .type fiber_leave, @function
    .type fiber_begin, @function

fiber_switch:
    push %rbp
    push %rbx
    push %r12
    push %r13
    push %r14
    push %r15
    sub $8, %rsp
    movl $0, 4(%rsp)
    stmxcsr (%rsp)
    fnstcw 4(%rsp)
    mov %rsp, (%rdi)
    mov %rsi, %rdi
fiber_leave:
    mov %rdi, %rsp
    ldmxcsr (%rsp)
    fldcw 4(%rsp)
    add $8, %rsp
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbx
    pop %rbp
    ret
    .size fiber_switch, . - fiber_switch

/* The first instruction of a fiber: rbx says what to call. */
fiber_begin:
    .cfi_startproc
    .cfi_undefined rip
    xor %ebp, %ebp
    mov %rbx, %rax
    xor %ebx, %ebx
    call *%rax
    ud2
    .cfi_endproc
    .size fiber_begin, . - fiber_begin

    .section .note.GNU-stack, "", @progbits

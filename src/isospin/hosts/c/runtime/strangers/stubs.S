/* One stub for each function of a library that the program calls.  All registers in which arguments can be are as they
 * were when the function begins, and so is the stack. */
    .set MOST_STRANGERS, 1024
    .text
    .hidden stranger_stubs, stranger_enter
    .globl stranger_stubs, stranger_enter
    .type stranger_enter, @function

    .balign 16
stranger_stubs:
    .set number, 0
    .rept MOST_STRANGERS
    .balign 16
    movl $number, %r11d
    jmp stranger_enter
    .set number, number + 1
    .endr

/* The frame is as that of any function of the runtime: HERE in it is %rbp. */
stranger_enter:
    .cfi_startproc
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    sub $192, %rsp
    mov %rdi, (%rsp)
    mov %rsi, 8(%rsp)
    mov %rdx, 16(%rsp)
    mov %rcx, 24(%rsp)
    mov %r8, 32(%rsp)
    mov %r9, 40(%rsp)
    mov %rax, 48(%rsp)
    mov %r10, 56(%rsp)
    movaps %xmm0, 64(%rsp)
    movaps %xmm1, 80(%rsp)
    movaps %xmm2, 96(%rsp)
    movaps %xmm3, 112(%rsp)
    movaps %xmm4, 128(%rsp)
    movaps %xmm5, 144(%rsp)
    movaps %xmm6, 160(%rsp)
    movaps %xmm7, 176(%rsp)
    mov %r11d, %edi
    mov %rsp, %rsi
    mov %rbp, %rdx
    call meet_stranger
    mov %rax, %r11
    mov (%rsp), %rdi
    mov 8(%rsp), %rsi
    mov 16(%rsp), %rdx
    mov 24(%rsp), %rcx
    mov 32(%rsp), %r8
    mov 40(%rsp), %r9
    mov 48(%rsp), %rax
    mov 56(%rsp), %r10
    movaps 64(%rsp), %xmm0
    movaps 80(%rsp), %xmm1
    movaps 96(%rsp), %xmm2
    movaps 112(%rsp), %xmm3
    movaps 128(%rsp), %xmm4
    movaps 144(%rsp), %xmm5
    movaps 160(%rsp), %xmm6
    movaps 176(%rsp), %xmm7
    leave
    .cfi_def_cfa %rsp, 8
    jmp *%r11
    .cfi_endproc
    .size stranger_enter, . - stranger_enter

    .section .note.GNU-stack, "", @progbits

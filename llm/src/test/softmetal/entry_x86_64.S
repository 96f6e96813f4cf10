// objc_msgSend, which looks a method up and jumps to it with all arguments as they came, and the switch between fibers.
  .text
  .globl objc_msgSend
  .type objc_msgSend, @function
objc_msgSend:
  push %rbp
  mov %rsp, %rbp
  sub $0xc0, %rsp
  mov %rdi, 0(%rsp)
  mov %rsi, 8(%rsp)
  mov %rdx, 16(%rsp)
  mov %rcx, 24(%rsp)
  mov %r8, 32(%rsp)
  mov %r9, 40(%rsp)
  mov %rax, 48(%rsp)
  movups %xmm0, 64(%rsp)
  movups %xmm1, 80(%rsp)
  movups %xmm2, 96(%rsp)
  movups %xmm3, 112(%rsp)
  movups %xmm4, 128(%rsp)
  movups %xmm5, 144(%rsp)
  movups %xmm6, 160(%rsp)
  movups %xmm7, 176(%rsp)
  call softmetal_lookup
  mov %rax, %r11
  mov 0(%rsp), %rdi
  mov 8(%rsp), %rsi
  mov 16(%rsp), %rdx
  mov 24(%rsp), %rcx
  mov 32(%rsp), %r8
  mov 40(%rsp), %r9
  mov 48(%rsp), %rax
  movups 64(%rsp), %xmm0
  movups 80(%rsp), %xmm1
  movups 96(%rsp), %xmm2
  movups 112(%rsp), %xmm3
  movups 128(%rsp), %xmm4
  movups 144(%rsp), %xmm5
  movups 160(%rsp), %xmm6
  movups 176(%rsp), %xmm7
  leave
  jmp *%r11
  .size objc_msgSend, . - objc_msgSend

// void softmetal_switch(void** from, void* to): leaves this stack in *from and goes on where the stack `to` was left.
// Only what the calling convention lets a callee keep has to be saved.
  .globl softmetal_switch
  .hidden softmetal_switch
  .type softmetal_switch, @function
softmetal_switch:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, (%rdi)
  mov %rsi, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
  .size softmetal_switch, . - softmetal_switch
  .section .note.GNU-stack, "", @progbits

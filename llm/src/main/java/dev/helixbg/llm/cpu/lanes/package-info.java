/**
 * The vectors of this machine, and what kernels do with them in common. C2 is made to inline all of
 * it, so its methods, unlike kernels, may take vectors and give them back. It does so in a large
 * kernel only if a method is small: at most as many bytes of code as MaxTrivialSize says
 * (scripts/lib/jvm.options, decision 86).
 */
package dev.helixbg.llm.cpu.lanes;

/**
 * The backend for GPUs: what they are told, whatever drives them. {@code GpuBackend} is where to
 * begin reading; {@code driver} is what each of the drivers beside it fills, {@code kernels} (among
 * the resources) what runs on the GPU.
 */
package dev.helixbg.llm.gpu;

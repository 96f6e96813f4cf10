/**
 * The driver for NVIDIA GPUs: {@code libcuda.so.1} through the foreign function API, kernels as PTX
 * that the build made of the {@code .metal} files. {@code CudaDevice} is where to begin reading.
 */
package dev.helixbg.llm.gpu.cuda;

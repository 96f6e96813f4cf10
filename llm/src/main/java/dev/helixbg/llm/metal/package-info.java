/**
 * The backend for Apple GPUs: kernels in Metal's language, and the Java that encodes them. {@code
 * MetalBackend} is where to begin reading.
 */
package dev.helixbg.llm.metal;

/** Reads ONNX files, which are untrusted, and writes the same model with fused operators. */
package dev.helixbg.embed.onnx;

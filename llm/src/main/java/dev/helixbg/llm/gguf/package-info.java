/** GGUF model files: mapped, checked, and never trusted. */
package dev.helixbg.llm.gguf;

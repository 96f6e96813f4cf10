/**
 * The steps of a transformer's layers over opaque buffers, and what they share: the seam between a
 * model, which names no device, and a device, which names no model.
 */
package dev.helixbg.llm.backend;

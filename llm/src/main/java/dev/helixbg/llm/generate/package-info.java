/** From a model's logits to answers: reading prompts, choosing tokens, scoring given answers. */
package dev.helixbg.llm.generate;

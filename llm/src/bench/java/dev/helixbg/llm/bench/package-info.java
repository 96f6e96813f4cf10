/** How fast a model runs here, against what the memory of this machine allows. */
package dev.helixbg.llm.bench;

/** What the pair judge says of entries that it has read together, and the memory of it. */
package dev.helixbg.insight.pairs;

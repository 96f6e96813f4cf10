/** One run over one knowledge base, in reading order: vectors, findings, judgements, reviews. */
package dev.helixbg.daemon.run;

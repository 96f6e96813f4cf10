/** What is done while nobody needs the machine: questions to the language model, and reviews. */
package dev.helixbg.daemon.idle;

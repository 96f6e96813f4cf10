/** Watching knowledge bases: hints, stamps, the cursor, and the loop that ticks. */
package dev.helixbg.daemon.watch;

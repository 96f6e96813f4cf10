/** Mapped files that other programs shorten: reads that would end the process go on. */
package dev.helixbg.config.faults;

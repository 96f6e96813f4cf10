/** Signal handlers that keep the process alive if another program shortens a mapped file. */
package dev.helixbg.config.faults;

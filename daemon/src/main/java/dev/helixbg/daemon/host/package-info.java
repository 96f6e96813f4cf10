/**
 * The machine that we are a guest of: time, power, priority, memory, and where models are loaded.
 */
package dev.helixbg.daemon.host;

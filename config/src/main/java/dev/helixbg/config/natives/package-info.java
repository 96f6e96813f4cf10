/**
 * Native libraries that come inside jars: unpacked once, and loaded without network or surprise;
 * and calls of C functions.
 */
package dev.helixbg.config.natives;

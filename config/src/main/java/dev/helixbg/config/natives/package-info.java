/**
 * Native libraries that come inside jars: unpacked once, and loaded without network or surprise.
 */
package dev.helixbg.config.natives;

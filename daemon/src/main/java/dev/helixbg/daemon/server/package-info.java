/** The daemon: all of it wired together, what clients may ask for, and its logs. */
package dev.helixbg.daemon.server;

/**
 * A knowledge base on disk: its lock, its files, its report folder, and whether all of it is whole.
 */
package dev.helixbg.daemon.kb;

/** Trying the engines by themselves, without a knowledge base. */
package dev.helixbg.daemon.cli.engine;

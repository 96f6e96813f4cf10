/** The command line: the program's entry and its commands. */
package dev.helixbg.daemon.cli;

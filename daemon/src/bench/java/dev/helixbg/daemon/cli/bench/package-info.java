/** The benchmarks. */
package dev.helixbg.daemon.cli.bench;

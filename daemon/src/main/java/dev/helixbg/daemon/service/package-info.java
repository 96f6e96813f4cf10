/** What a service manager needs to know to run the daemon: launchd on macOS, systemd on Linux. */
package dev.helixbg.daemon.service;

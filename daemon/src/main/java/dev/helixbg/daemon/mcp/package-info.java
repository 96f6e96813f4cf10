/** The MCP server: what coding agents ask over stdio, answered by the daemon or by ourselves. */
package dev.helixbg.daemon.mcp;

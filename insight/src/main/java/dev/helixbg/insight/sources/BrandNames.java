package dev.helixbg.insight.sources;

import java.util.Set;

/** Words that look like identifiers of source code and are none: brand names, mostly. */
final class BrandNames {
  private static final Set<String> ALL =
      Set.of(
          "GitHub",
          "GitLab",
          "JavaScript",
          "TypeScript",
          "PostgreSQL",
          "MongoDB",
          "DynamoDB",
          "GraphQL",
          "OpenAI",
          "ChatGPT",
          "YouTube",
          "LinkedIn",
          "iPhone",
          "WebSocket",
          "DevOps",
          "WebAssembly",
          "RabbitMQ",
          "MariaDB",
          "OpenSSL",
          "NumPy",
          "PyTorch",
          "TensorFlow",
          "OAuth2",
          "VSCode",
          "IntelliJ",
          "StackOverflow",
          "CloudFront",
          "README_md");

  private BrandNames() {}

  static boolean isOne(String word) {
    return ALL.contains(word);
  }
}

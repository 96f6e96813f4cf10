package dev.helixbg.insight.log;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Recognises and masks secrets that have a fixed form: keys and tokens of known services, private
 * keys, passwords in web addresses. A value is not a secret if a word in it, or in its line, says
 * that it is an example.
 */
public final class SecretMask {
  /** Words in a secret that show that it is made up. */
  private static final Pattern MADE_UP =
      Pattern.compile(
          "example|sample|dummy|fake|changeme|placeholder|redacted|your|1234567|abcdef|xxxx|0{6}"
              + "|mjm0nty3odk"); // 123456789 in Base64, in the sample token of many manuals

  /** Words on the line of a secret that show that it is an example. */
  private static final Pattern ABOUT_EXAMPLES =
      Pattern.compile("\\b(?:examples?|e\\.g\\.|sample|dummy|fake|placeholder|looks? like)(?!\\w)");

  private static final int FEWEST_CHARACTERS = 8;
  private static final char MASK = '*';

  /**
   * A kind of secret, which the pattern {@code form} matches; the group "secret" of the match is
   * the secret. Every match contains one of the strings {@code sign}, so other texts are not
   * searched.
   */
  private record Kind(String name, List<String> sign, Pattern form) {
    Kind(String name, List<String> sign, String form) {
      this(name, sign, Pattern.compile(form));
    }
  }

  private static final List<Kind> KINDS =
      List.of(
          token("AWS access key", List.of("AKIA", "ASIA"), "A[KS]IA[A-Z2-7]{16}(?![A-Za-z0-9])"),
          token(
              "GitHub token",
              List.of("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
              "gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\\w{50,255}"),
          token("GitLab token", List.of("glpat-"), "glpat-[\\w-]{20,100}"),
          token(
              "Slack token",
              List.of("xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-"),
              "xox[abprs]-[A-Za-z0-9-]{20,200}"),
          token("Stripe key", List.of("k_live_"), "[sr]k_live_[A-Za-z0-9]{16,250}"),
          token("Google API key", List.of("AIza"), "AIza[\\w-]{35}(?![\\w-])"),
          token(
              "API key",
              List.of("sk-"),
              "sk-(?=[\\w-]{0,250}[0-9])(?=[\\w-]{0,250}[A-Z])(?:ant-|proj-)?[\\w-]{32,250}"),
          token("npm token", List.of("npm_"), "npm_[A-Za-z0-9]{36}"),
          token("PyPI token", List.of("pypi-"), "pypi-[\\w-]{60,300}"),
          token("Hugging Face token", List.of("hf_"), "hf_[A-Za-z0-9]{34}(?![A-Za-z0-9])"),
          token(
              "JSON web token",
              List.of("eyJ"),
              "eyJ[\\w-]{10,4000}\\.eyJ[\\w-]{10,4000}\\.[\\w-]{16,4000}"),
          new Kind(
              "private key",
              List.of("PRIVATE KEY"),
              "-----BEGIN (?:[A-Z0-9]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----\\s*+"
                  + "(?:[A-Za-z-]{1,20}: [^\n]{1,100}\n\\s*+){0,5}+"
                  + "(?<secret>[A-Za-z0-9+/=]{30}[A-Za-z0-9+/=\\s]*+)"),
          new Kind(
              "password in an address",
              List.of("://"),
              "://[\\w.%+-]{1,64}:"
                  + "(?!(?i:pass|passwd|password|pwd|secret|token)\\w{0,4}@)"
                  + "(?<secret>(?=[^@\\s/]{0,100}[0-9])[^@\\s/:<>{}$*\\[\\]()\"'`,;]{8,100})"
                  + "@(?!(?:example|localhost|127\\.|0\\.0\\.))"));

  private SecretMask() {}

  /** Returns a kind of secret whose matches begin where a word begins. */
  private static Kind token(String name, List<String> sign, String form) {
    return new Kind(name, sign, "(?<![\\w-])(?<secret>" + form + ")");
  }

  /** Returns the kind of the first secret in a text. */
  public static Optional<String> kindIn(String text) {
    return KINDS.stream()
        .filter(kind -> secrets(kind, text).findAny().isPresent())
        .map(Kind::name)
        .findFirst();
  }

  /** Returns the text with {@code *} for each character of a secret, so positions are the same. */
  public static String masked(String text) {
    List<MatchResult> found = KINDS.stream().flatMap(kind -> secrets(kind, text)).toList();
    if (found.isEmpty()) {
      return text;
    }
    StringBuilder masked = new StringBuilder(text);
    found.stream()
        .flatMapToInt(one -> IntStream.range(one.start("secret"), one.end("secret")))
        .filter(i -> text.charAt(i) != '\n')
        .forEach(i -> masked.setCharAt(i, MASK));
    return masked.toString();
  }

  private static Stream<MatchResult> secrets(Kind kind, String text) {
    return kind.sign().stream().anyMatch(text::contains)
        ? kind.form().matcher(text).results().filter(found -> isReal(text, found))
        : Stream.empty();
  }

  private static boolean isReal(String text, MatchResult found) {
    String secret = found.group("secret");
    int line = text.lastIndexOf('\n', found.start()) + 1;
    int end = text.indexOf('\n', found.end());
    String around =
        text.substring(line, found.start())
            + " "
            + text.substring(found.end(), end < 0 ? text.length() : end);
    return secret.chars().distinct().count() >= FEWEST_CHARACTERS
        && !MADE_UP.matcher(secret.toLowerCase(Locale.ROOT)).find()
        && !ABOUT_EXAMPLES.matcher(around.toLowerCase(Locale.ROOT)).find();
  }
}

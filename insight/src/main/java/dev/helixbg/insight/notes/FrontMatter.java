package dev.helixbg.insight.notes;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.toml.TomlMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/**
 * Front matter: data before the text of a note. YAML is between two lines {@code ---}, as Obsidian,
 * Jekyll and Hugo write it; TOML is between two lines {@code +++}; JSON has no such lines. Blocks
 * of YAML or TOML that directly follow one another count as one. Properties as in Logseq and
 * Pelican are read, but remain part of the text.
 *
 * <p>Values are texts and lists of texts, as written: no date or version is converted. If the YAML
 * as a whole is not valid, each key is read by itself, because many programs write invalid values
 * such as {@code globs: *.ts}.
 *
 * @param values the values of each key. Keys are in lower case; {@code metadata.created} is the key
 *     {@code created} below {@code metadata}
 * @param end the offset at which the text of the note begins, in UTF-16 units
 * @param sound whether all front matter could be read
 */
record FrontMatter(Map<String, List<String>> values, int end, boolean sound) {
  /** Maximum number of lines; a longer block is text between two horizontal rules. */
  private static final int MAX_LINES = 500;

  private static final int MAX_LENGTH = 1 << 16;

  private static final int MAX_VALUES = 100;
  private static final int MAX_VALUE = 200;
  private static final int MAX_DEPTH = 3;

  private static final FrontMatter NONE = new FrontMatter(Map.of(), 0, true);

  private static final String TOML = "+++";
  private static final Pattern KEY = Pattern.compile("[^\\s#\\[{'\"-][^:]{0,59}:(?:\\s.*)?");

  /**
   * A line without a key that may begin a paragraph of front matter: a part of a value, or a
   * comment.
   */
  private static final Pattern KEYLESS = Pattern.compile("[\\s#].*|-(?:\\s.*)?");

  /** A value that is not a list, mapping, quotation or block of lines, but may be a template. */
  private static final Pattern PLAIN = Pattern.compile("(?:\\{\\{|[^\\s\\[\\]{}'\"|>#]).*");

  /** Properties at the beginning of a page of Logseq, or of an article for Pelican. */
  private static final Pattern PROPERTIES =
      Pattern.compile(
          "(?:KEY::(?!\\S).*(?:\\n|\\z)){1,50}|[Tt]itle:[ \\t].*\\n(?:KEY:[ \\t].*\\n){0,50}(?=\\n)"
              .replace("KEY", "\\p{L}[\\p{L}\\d_-]{0,59}"));

  private static final TomlMapper TOML_MAPPER = new TomlMapper();

  /** The lines between two delimiters {@code ---} or {@code +++}, and the offset after both. */
  private record Block(List<String> lines, int end, boolean toml) {
    /**
     * Whether the lines look like data. In YAML, each paragraph must begin with a key, with a part
     * of a value, or with a comment.
     */
    boolean isData() {
      return toml
          ? lines.stream().anyMatch(line -> line.indexOf('=') > 0)
          : lines.stream().anyMatch(Block::isKey)
              && IntStream.range(0, lines.size())
                  .filter(i -> !lines.get(i).isBlank() && (i == 0 || lines.get(i - 1).isBlank()))
                  .mapToObj(lines::get)
                  .allMatch(line -> isKey(line) || KEYLESS.matcher(line).matches());
    }

    static boolean isKey(String line) {
      return KEY.matcher(line).matches();
    }

    String text() {
      return String.join("\n", lines) + "\n";
    }
  }

  static FrontMatter of(String text) {
    FrontMatter all = NONE;
    Optional<Block> block = block(text, 0);
    while (block.isPresent()) {
      FrontMatter next = read(block.get());
      if (next.end() == 0) {
        return all;
      }
      Map<String, List<String>> values = new LinkedHashMap<>(all.values());
      next.values().forEach(values::putIfAbsent);
      all = new FrontMatter(values, next.end(), all.sound() && next.sound());
      block = block(text, all.end());
    }
    if (all != NONE) {
      return all;
    }
    return opened(text)
        ? new FrontMatter(Map.of(), 0, false)
        : text.startsWith("{") ? json(text) : properties(text);
  }

  /** Whether a text begins with a line {@code ---} or {@code +++}, and a key on the next line. */
  private static boolean opened(String text) {
    List<String> lines = text.lines().limit(2).toList();
    return lines.size() == 2 && isMark(lines.getFirst()) && Block.isKey(lines.getLast());
  }

  private static boolean isMark(String line) {
    String mark = line.stripTrailing();
    return mark.equals("---") || mark.equals(TOML);
  }

  private static Optional<Block> block(String text, int at) {
    int newline = text.indexOf('\n', at);
    if (newline < 0 || newline - at > MAX_VALUE || !isMark(text.substring(at, newline))) {
      return Optional.empty();
    }
    boolean toml = text.startsWith(TOML, at);
    List<String> lines = new ArrayList<>();
    int start = newline + 1;
    int first = start;
    while (start < text.length() && lines.size() < MAX_LINES && start - first < MAX_LENGTH) {
      newline = text.indexOf('\n', start);
      int end = newline < 0 ? text.length() : newline;
      String line = text.substring(start, end).stripTrailing();
      start = Math.min(text.length(), end + 1);
      if (toml ? line.equals(TOML) : line.equals("---") || line.equals("...")) {
        return Optional.of(new Block(lines, start, toml));
      }
      lines.add(line);
    }
    return Optional.empty();
  }

  /**
   * Reads a block. If it has only blank lines and comments, it is empty front matter. If it has
   * other text without keys, it is ordinary text between two horizontal rules.
   */
  private static FrontMatter read(Block block) {
    Map<String, List<String>> values = new LinkedHashMap<>();
    if (areEmpty(block.lines())) {
      return new FrontMatter(values, block.end(), true);
    }
    boolean valid = block.toml() ? toml(block.text(), values) : yaml(block.text(), values);
    if (!(valid && !values.isEmpty() || block.isData())) {
      return NONE;
    }
    boolean sound = valid || !block.toml() && byKeys(block.lines(), values);
    return new FrontMatter(values, block.end(), sound);
  }

  /** Adds the values of a YAML text. Returns whether the text is valid and is a mapping. */
  private static boolean yaml(String text, Map<String, List<String>> values) {
    LoadSettings settings =
        LoadSettings.builder()
            .setSchema(new CoreSchema())
            .setCodePointLimit(2 * MAX_LENGTH)
            .build();
    try {
      Optional<Node> root = new Compose(settings).composeString(text);
      if (root.isEmpty() || !(root.get() instanceof MappingNode mapping)) {
        return false;
      }
      addAll(values, "", mapping, 0);
      return true;
    } catch (YamlEngineException | StackOverflowError e) { // deep nesting can overflow the stack
      return false;
    }
  }

  private static void addAll(
      Map<String, List<String>> values, String above, MappingNode mapping, int depth) {
    for (NodeTuple pair : mapping.getValue()) {
      if (pair.getKeyNode() instanceof ScalarNode key) {
        String name = above + key.getValue();
        if (!(pair.getValueNode() instanceof MappingNode below)) {
          addAll(list(values, name), pair.getValueNode(), 0);
        } else if (depth < MAX_DEPTH) {
          addAll(values, name + ".", below, depth + 1);
        }
      }
    }
  }

  private static List<String> list(Map<String, List<String>> values, String key) {
    return values.computeIfAbsent(key.strip().toLowerCase(Locale.ROOT), _ -> new ArrayList<>());
  }

  private static void addAll(List<String> values, Node node, int depth) {
    if (node instanceof ScalarNode scalar && !scalar.getTag().equals(Tag.NULL)) {
      add(values, scalar.getValue());
    } else if (node instanceof SequenceNode sequence && depth < MAX_DEPTH) {
      if (only(node) instanceof SequenceNode inner
          && only(inner) instanceof ScalarNode link
          && link.isPlain()) { // [[name]]
        add(values, "[[" + link.getValue() + "]]");
        return;
      }
      sequence.getValue().forEach(item -> addAll(values, item, depth + 1));
    }
  }

  /** Returns the only item of a list; null if the node is not a list of exactly one item. */
  private static Node only(Node node) {
    return node instanceof SequenceNode list && list.getValue().size() == 1
        ? list.getValue().getFirst()
        : null;
  }

  /**
   * Reads each key separately, together with the lines below it that have no key of their own.
   * Returns whether all lines were read.
   */
  private static boolean byKeys(List<String> lines, Map<String, List<String>> values) {
    boolean all = true;
    for (int from = 0, to; from < lines.size(); from = to) {
      to = from + 1;
      while (to < lines.size() && !Block.isKey(lines.get(to))) {
        to++;
      }
      if (!yaml(String.join("\n", lines.subList(from, to)), values)) {
        // Examples are "title: One: two", and a key that is followed by lines without a key.
        String first = lines.get(from);
        int colon = first.indexOf(':');
        String value = first.substring(colon + 1).strip();
        boolean isPlain = Block.isKey(first) && PLAIN.matcher(value).matches();
        if (isPlain) {
          add(list(values, first.substring(0, colon)), value.replaceFirst("\\s#.*", ""));
        }
        all &= areEmpty(lines.subList(isPlain ? from + 1 : from, to));
      }
    }
    return all;
  }

  private static boolean areEmpty(List<String> lines) {
    return lines.stream().allMatch(line -> line.isBlank() || line.startsWith("#"));
  }

  private static boolean toml(String text, Map<String, List<String>> values) {
    try {
      addAll(values, "", TOML_MAPPER.readTree(text), 0);
      return true;
    } catch (JsonProcessingException | StackOverflowError e) {
      return false;
    }
  }

  /** Reads a JSON object before the text, if the object has a title. Any other object is text. */
  private static FrontMatter json(String text) {
    Map<String, List<String>> values = new LinkedHashMap<>();
    try (JsonParser parser = new ObjectMapper().createParser(text)) {
      addAll(values, "", parser.<JsonNode>readValueAsTree(), 0);
      int end = (int) parser.currentLocation().getCharOffset();
      boolean isFollowed = text.startsWith("\n", end) && !text.substring(end).isBlank();
      return isFollowed && values.containsKey("title") ? new FrontMatter(values, end, true) : NONE;
    } catch (IOException | StackOverflowError e) {
      return NONE;
    }
  }

  /**
   * Returns the values in the first lines of a text: {@code key:: value}, as in Logseq, or a
   * paragraph of {@code Key: value} that begins with the title, as for Pelican. They stay in the
   * text.
   */
  private static FrontMatter properties(String text) {
    Map<String, List<String>> values = new LinkedHashMap<>();
    Matcher found = PROPERTIES.matcher(text);
    if (found.lookingAt()) {
      for (String line : found.group().strip().split("\n")) {
        String[] property = line.split("::?", 2);
        add(list(values, property[0]), property[1]);
      }
    }
    return new FrontMatter(values, 0, true);
  }

  private static void addAll(
      Map<String, List<String>> values, String above, JsonNode table, int depth) {
    for (Map.Entry<String, JsonNode> one : table.properties()) {
      String name = above + one.getKey();
      if (!one.getValue().isObject()) {
        addAll(list(values, name), one.getValue());
      } else if (depth < MAX_DEPTH) { // Zola has tags in the table taxonomies
        addAll(values, name.equals("taxonomies") ? "" : name + ".", one.getValue(), depth + 1);
      }
    }
  }

  private static void addAll(List<String> values, JsonNode node) {
    if (node.isValueNode()) {
      add(values, node.asText());
    } else if (node.isArray()) {
      node.forEach(item -> add(values, item.asText()));
    }
  }

  private static void add(List<String> values, String raw) {
    String value =
        raw.lines()
            .map(String::strip)
            .filter(line -> !line.isEmpty())
            .collect(Collectors.joining(" "));
    if (!value.isBlank() && values.size() < MAX_VALUES) {
      values.add(value.length() > MAX_VALUE ? value.substring(0, MAX_VALUE) : value);
    }
  }

  /** Returns all values of the first of {@code keys} that has a value. */
  List<String> all(String... keys) {
    return Stream.of(keys)
        .map(key -> values.getOrDefault(key, List.of()))
        .filter(found -> !found.isEmpty())
        .findFirst()
        .orElse(List.of());
  }

  Optional<String> first(String... keys) {
    return all(keys).stream().findFirst();
  }

  /** Returns the tags. Commas or blanks separate them in the file, and each may begin with a #. */
  List<String> tags() {
    return all("tags", "tag", "keywords").stream()
        .flatMap(value -> List.of(value.split(value.contains(",") ? "," : "\\s")).stream())
        .map(tag -> tag.strip().replaceFirst("^#+", ""))
        .filter(tag -> !tag.isEmpty())
        .distinct()
        .toList();
  }
}

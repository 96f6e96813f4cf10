package dev.helixbg.embed;

import dev.helixbg.config.Sha256;
import dev.helixbg.embed.store.AtomicFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where the network and its tokenizer come from: a folder of the user's, or the bundled copy. */
sealed interface ModelSource {

  /** SHA-256 of the ONNX file. */
  String graphHash();

  /** SHA-256 of the tokenizer's file. */
  String tokenizerHash();

  /** For people: which model this is. */
  String describe();

  /** Puts the files on disk where they are not, and returns where they are. */
  Location locate() throws IOException;

  /**
   * The files of a model.
   *
   * @param graph the ONNX file as it was exported
   * @param tokenizer tokenizer.json or vocab.txt
   */
  record Location(Path graph, Path tokenizer) {}

  /**
   * A folder with {@code model.onnx} and {@code tokenizer.json} or {@code vocab.txt}; without a
   * {@code model.onnx} the bundled model.
   *
   * @throws EmbeddingException when the folder holds a model that cannot be used
   */
  static ModelSource find(Path folder, Path cacheFolder) {
    Path graph = folder.resolve("model.onnx");
    if (!Files.exists(graph)) {
      return new Bundled(cacheFolder);
    }
    Path json = folder.resolve("tokenizer.json");
    Path tokenizer = Files.exists(json) ? json : folder.resolve("vocab.txt");
    if (!Files.exists(tokenizer)) {
      throw new EmbeddingException(
          folder
              + " has a model.onnx but neither tokenizer.json nor vocab.txt: add one of them, or"
              + " remove model.onnx to use the bundled model");
    }
    try {
      return new Folder(
          new Location(graph, tokenizer),
          RememberedHash.of(graph, cacheFolder),
          RememberedHash.of(tokenizer, cacheFolder));
    } catch (IOException e) {
      throw new EmbeddingException(
          "cannot read the model in "
              + folder
              + ": "
              + e
              + ". Check the permissions of its files, or remove model.onnx to use the bundled"
              + " model",
          e);
    }
  }

  /** Files that the user put on this machine. */
  record Folder(Location location, String graphHash, String tokenizerHash) implements ModelSource {

    @Override
    public String describe() {
      return location.graph + " with " + location.tokenizer.getFileName();
    }

    @Override
    public Location locate() throws IOException {
      if (!Sha256.of(location.graph).equals(graphHash)
          || !Sha256.of(location.tokenizer).equals(tokenizerHash)) {
        throw new EmbeddingException(
            "the model in "
                + location.graph.getParent()
                + " was replaced while it was opened: run the command again");
      }
      return location;
    }
  }

  /** The copy that comes with helix-bg, from the langchain4j artifact on the class path. */
  record Bundled(Path cacheFolder) implements ModelSource {

    static final String GRAPH_RESOURCE = "/all-minilm-l6-v2.onnx";
    static final String TOKENIZER_RESOURCE = "/all-minilm-l6-v2-tokenizer.json";
    private static final String GRAPH_HASH =
        "759c3cd2b7fe7e93933ad23c4c9181b7396442a2ed746ec7c1d46192c469c46e";
    private static final String TOKENIZER_HASH =
        "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0";

    @Override
    public String graphHash() {
      return GRAPH_HASH;
    }

    @Override
    public String tokenizerHash() {
      return TOKENIZER_HASH;
    }

    @Override
    public String describe() {
      return "all-MiniLM-L6-v2, the copy bundled with helix-bg";
    }

    @Override
    public Location locate() throws IOException {
      Path folder = cacheFolder.resolve("models").resolve("bundled-" + GRAPH_HASH.substring(0, 8));
      Files.createDirectories(folder);
      return new Location(
          extract(GRAPH_RESOURCE, folder.resolve("model.onnx"), GRAPH_HASH),
          extract(TOKENIZER_RESOURCE, folder.resolve("tokenizer.json"), TOKENIZER_HASH));
    }

    private static Path extract(String resource, Path target, String hash) throws IOException {
      if (Files.isRegularFile(target) && Sha256.of(target).equals(hash)) {
        return target;
      }
      AtomicFile.replace(
          target,
          out -> {
            try (InputStream in = ModelSource.class.getResourceAsStream(resource)) {
              if (in == null) {
                throw new EmbeddingException(
                    "the bundled model " + resource + " is not on the class path: reinstall");
              }
              in.transferTo(out);
            }
          });
      if (!Sha256.of(target).equals(hash)) {
        Files.delete(target);
        throw new EmbeddingException(
            "the bundled model " + resource + " is not the expected one: reinstall helix-bg");
      }
      return target;
    }
  }
}

package dev.helixbg.embed;

import dev.helixbg.config.Sha256;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.embed.store.AtomicFile;
import dev.helixbg.embed.store.CacheNote;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Source of the network and its tokenizer: a folder of the user, or the bundled copy in the
 * langchain4j artifact on the class path.
 *
 * @param graphHash SHA-256 of the ONNX file
 * @param tokenizerHash SHA-256 of the tokenizer's file
 * @param extractedTo the cache folder, to which the bundled model is copied; empty for any other
 *     model
 */
record ModelSource(
    String describe,
    String graphHash,
    String tokenizerHash,
    Location files,
    Optional<Path> extractedTo) {
  static final String GRAPH_RESOURCE = "/all-minilm-l6-v2.onnx";
  static final String TOKENIZER_RESOURCE = "/all-minilm-l6-v2-tokenizer.json";
  static final String GRAPH_HASH =
      "759c3cd2b7fe7e93933ad23c4c9181b7396442a2ed746ec7c1d46192c469c46e";
  private static final String TOKENIZER_HASH =
      "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0";

  record Location(Path graph, Path tokenizer) {}

  /**
   * Returns the model in a folder: {@code model.onnx}, and {@code tokenizer.json} or {@code
   * vocab.txt}. Without {@code model.onnx}, returns the bundled model.
   *
   * @throws EmbeddingException when the folder has a model that cannot be used, or is a file
   */
  static ModelSource find(Path folder, Path cacheFolder) {
    if (Files.isRegularFile(folder)) {
      throw new EmbeddingException(
          "embed.models must be a folder, but %s is a file. To name a language model, set llm.model"
              .formatted(folder));
    }
    Path graph = folder.resolve("model.onnx");
    if (!Files.exists(graph)) {
      return bundled(cacheFolder);
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
      return new ModelSource(
          graph + " with " + tokenizer.getFileName(),
          CacheNote.hash(graph, cacheFolder),
          CacheNote.hash(tokenizer, cacheFolder),
          new Location(graph, tokenizer),
          Optional.empty());
    } catch (IOException e) {
      throw new EmbeddingException(
          "cannot read the model in %s: %s. Check the permissions of its files, or remove model.onnx to use the bundled model"
              .formatted(folder, PrivateFiles.reason(e)),
          e);
    }
  }

  /** Returns whether the network is the bundled network, no matter where its file is. */
  boolean isBundled() {
    return graphHash.equals(GRAPH_HASH);
  }

  static ModelSource bundled(Path cacheFolder) {
    Path folder = cacheFolder.resolve("models").resolve("bundled-" + GRAPH_HASH.substring(0, 8));
    return new ModelSource(
        "all-MiniLM-L6-v2, the copy bundled with helix-bg",
        GRAPH_HASH,
        TOKENIZER_HASH,
        new Location(folder.resolve("model.onnx"), folder.resolve("tokenizer.json")),
        Optional.of(cacheFolder));
  }

  /**
   * Returns the model's files. Copies the bundled model to the cache folder if it is missing there;
   * throws if a user's model has changed.
   */
  Location locate() throws IOException {
    if (extractedTo.isPresent()) {
      PrivateFiles.makeTrustedFolder(extractedTo.get(), files.graph.getParent());
      extract(GRAPH_RESOURCE, files.graph, GRAPH_HASH);
      extract(TOKENIZER_RESOURCE, files.tokenizer, TOKENIZER_HASH);
    } else if (!Sha256.of(files.graph).equals(graphHash)
        || !Sha256.of(files.tokenizer).equals(tokenizerHash)) {
      throw new EmbeddingException(
          "the model in %s was replaced while it was opened: run the command again"
              .formatted(files.graph.getParent()));
    }
    return files;
  }

  private static void extract(String resource, Path target, String hash) throws IOException {
    if (Files.isRegularFile(target) && Sha256.of(target).equals(hash)) {
      return;
    }
    AtomicFile.replace(
        target,
        out -> {
          try (InputStream in = ModelSource.class.getResourceAsStream(resource)) {
            if (in == null) {
              throw new EmbeddingException(
                  "the bundled model "
                      + resource
                      + " is not on the class path: reinstall helix-bg");
            }
            in.transferTo(out);
          }
        });
    if (!Sha256.of(target).equals(hash)) {
      Files.delete(target);
      throw new EmbeddingException(
          "the bundled model " + resource + " is not the expected one: reinstall helix-bg");
    }
  }
}

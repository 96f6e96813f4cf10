package dev.helixbg.llm.gguf;

import static dev.helixbg.llm.gguf.GgufBytes.ARRAY;
import static dev.helixbg.llm.gguf.GgufBytes.F32;
import static dev.helixbg.llm.gguf.GgufBytes.FLOAT32;
import static dev.helixbg.llm.gguf.GgufBytes.INT32;
import static dev.helixbg.llm.gguf.GgufBytes.Q4_0;
import static dev.helixbg.llm.gguf.GgufBytes.Q4_K;
import static dev.helixbg.llm.gguf.GgufBytes.STRING;
import static dev.helixbg.llm.gguf.GgufBytes.UINT32;
import static dev.helixbg.llm.gguf.GgufBytes.UINT64;
import static dev.helixbg.llm.gguf.GgufBytes.UINT8;
import static dev.helixbg.llm.gguf.GgufBytes.head;

/**
 * Files with one error each, with the words that the message must contain and the key or tensor
 * that it must name.
 *
 * <p>Some cases are published faults of other GGUF parsers: counts, lengths or offsets that
 * overflow when they are multiplied or added. Their names say what overflows ("wraps").
 */
enum BrokenGguf {
  EMPTY(new GgufBytes(), "no GGUF file"),
  THREE_BYTES(new GgufBytes().raw("GGU"), "no GGUF file"),
  WRONG_MAGIC(new GgufBytes().raw("GGML").u32(3).u64(0).u64(0), "no GGUF file"),
  LOWER_CASE_MAGIC(new GgufBytes().raw("gguf").u32(3).u64(0).u64(0), "no GGUF file"),
  REVERSED_MAGIC(new GgufBytes().raw("FUGG").u32(3).u64(0).u64(0), "no GGUF file"),
  ZIP_FILE(new GgufBytes().raw("PK\3\4").raw(new byte[60]), "no GGUF file"),
  MAGIC_ONLY(new GgufBytes().raw("GGUF"), "the file ends"),
  VERSION_CUT(new GgufBytes().raw("GGUF").u8(3).u8(0), "the file ends"),
  VERSION_0(new GgufBytes().raw("GGUF").u32(0).u64(0).u64(0), "version 0"),
  VERSION_1(new GgufBytes().raw("GGUF").u32(1).u32(0).u32(0), "version 1"),
  VERSION_4(new GgufBytes().raw("GGUF").u32(4).u64(0).u64(0), "version 4"),
  VERSION_ALL_BITS(new GgufBytes().raw("GGUF").u32(-1).u64(0).u64(0), "version 4294967295"),
  NO_COUNTS(new GgufBytes().raw("GGUF").u32(3), "the file ends"),
  TENSOR_COUNT_CUT(new GgufBytes().raw("GGUF").u32(3).u32(0), "the file ends"),
  ENTRY_COUNT_MISSING(new GgufBytes().raw("GGUF").u32(3).u64(0), "the file ends"),
  TENSOR_COUNT_ONE_MORE(head(1, 0), "tensor_count is 1"),
  TENSOR_COUNT_ALL_BITS(head(-1, 0), "tensor_count is 18446744073709551615"),
  TENSOR_COUNT_SIGN_BIT(head(Long.MIN_VALUE, 0), "tensor_count is 9223372036854775808"),
  TENSOR_COUNT_TIMES_SIZE_WRAPS(head(1L << 59, 0).raw(new byte[64]), "tensor_count"),
  TENSOR_COUNT_ABOVE_LIMIT(head(1 << 17, 0).raw(new byte[5 << 20]), "this program accepts at most"),
  ENTRY_COUNT_ONE_MORE(head(0, 2).entry("a", "some text"), "the file ends"),
  ENTRY_COUNT_ALL_BITS(head(0, -1), "kv_count is 18446744073709551615"),
  ENTRY_COUNT_TIMES_SIZE_WRAPS(head(0, 0x1555555555555556L).raw(new byte[64]), "kv_count"),
  ENTRY_COUNT_ABOVE_LIMIT(head(0, 1 << 17).raw(new byte[3 << 20]), "this program accepts at most"),

  KEY_LENGTH_CUT(head(0, 2).entry("a", "some text").u32(1), "the file ends"),
  KEY_LENGTH_PAST_END(head(0, 1).u64(100).raw(new byte[20]), "the length of a key is 100"),
  KEY_LENGTH_ALL_BITS(
      head(0, 1).u64(-1).raw(new byte[20]), "the length of a key is 18446744073709551615"),
  KEY_LENGTH_PLUS_POSITION_WRAPS(
      head(0, 1).u64(Long.MAX_VALUE - 8).raw(new byte[20]), "the length of a key"),
  KEY_LENGTH_ABOVE_LIMIT(
      head(0, 1).u64(70_000).raw(new byte[80_000]), "this program accepts at most 65535"),
  KEY_EMPTY(head(0, 1).entry("", "x"), "a key is empty"),
  KEY_TWICE(head(0, 2).entry("k", "1").entry("k", "2"), "occurs twice", "k"),
  KEY_TWICE_OTHER_TYPE(head(0, 2).entry("k", "1").key("k", UINT32).u32(2), "occurs twice", "k"),
  ALIGNMENT_TWICE(head(0, 2).alignment(32).alignment(64), "occurs twice", "general.alignment"),

  VALUE_TYPE_MISSING(head(0, 1).string("key").u8(0).u8(0), "the file ends", "key"),
  VALUE_TYPE_13(head(0, 1).key("k", 13).u64(0), "no value type has the id 13", "k"),
  VALUE_TYPE_ALL_BITS(head(0, 1).key("k", -1).u64(0), "no value type has the id 4294967295", "k"),
  VALUE_U32_CUT(head(0, 1).key("kk", UINT32).u8(1).u8(2), "the file ends", "kk"),
  VALUE_U64_CUT(head(0, 1).key("k", UINT64).u32(1), "the file ends", "k"),
  VALUE_F32_CUT(head(0, 1).key("kk", FLOAT32).u8(1), "the file ends", "kk"),
  VALUE_STRING_LENGTH_CUT(head(0, 1).key("k", STRING).u32(1), "the file ends", "k"),
  VALUE_STRING_PAST_END(head(0, 1).key("k", STRING).u64(5).raw("abcd"), "is 5, but only 4", "k"),
  VALUE_STRING_LENGTH_WRAPS(
      head(0, 1).key("k", STRING).u64(-1).raw("abcd"), "18446744073709551615", "k"),
  VALUE_STRING_LENGTH_PLUS_ONE_WRAPS(
      head(0, 1).key("k", STRING).u64(0xFFFFFFFFL).raw("abcd"), "4294967295", "k"),

  ARRAY_TYPE_CUT(head(0, 1).key("k", ARRAY).u8(0), "the file ends", "k"),
  ARRAY_TYPE_UNKNOWN(head(0, 1).key("k", ARRAY).u32(99).u64(0), "no value type has the id 99", "k"),
  ARRAY_NESTED(
      head(0, 1).key("k", ARRAY).u32(ARRAY).u64(1).u32(UINT8).u64(1).u8(0),
      "arrays of arrays",
      "k"),
  ARRAY_LENGTH_CUT(head(0, 1).key("k", ARRAY).u32(INT32).u32(0), "the file ends", "k"),
  ARRAY_LENGTH_PAST_END(
      head(0, 1).key("k", ARRAY).u32(INT32).u64(2).u32(1), "the length of an array is 2", "k"),
  ARRAY_LENGTH_ALL_BITS(
      head(0, 1).key("k", ARRAY).u32(UINT8).u64(-1).u32(1), "18446744073709551615", "k"),
  ARRAY_LENGTH_TIMES_SIZE_WRAPS(
      head(0, 1).key("k", ARRAY).u32(UINT32).u64(1L << 62).raw(new byte[16]),
      "the length of an array",
      "k"),
  ARRAY_LENGTH_TIMES_8_WRAPS_TO_SMALL(
      head(0, 1).key("k", ARRAY).u32(UINT64).u64((1L << 61) + 1).raw(new byte[16]),
      "the length of an array",
      "k"),
  ARRAY_OF_STRINGS_COUNT_WRAPS(
      head(0, 1).key("k", ARRAY).u32(STRING).u64((1L << 61) + 1).raw(new byte[16]),
      "the length of an array",
      "k"),
  ARRAY_OF_STRINGS_ABOVE_LIMIT(
      head(0, 1).key("k", ARRAY).u32(STRING).u64(1 << 23).raw(new byte[8 << 23]),
      "this program accepts at most",
      "k"),
  ARRAY_STRING_PAST_END(
      head(0, 1).key("k", ARRAY).u32(STRING).u64(2).string("ab").u64(50),
      "the length of a string is 50",
      "k"),
  ARRAY_STRING_LENGTH_WRAPS(
      head(0, 1).key("k", ARRAY).u32(STRING).u64(1).u64(-9).raw(new byte[8]),
      "the length of a string",
      "k"),

  ALIGNMENT_0(head(0, 1).alignment(0), "not between 1 and 1048576", "general.alignment"),
  ALIGNMENT_3(head(0, 1).alignment(3), "no power of two", "general.alignment"),
  ALIGNMENT_48(head(0, 1).alignment(48), "no power of two", "general.alignment"),
  ALIGNMENT_2_MIB(head(0, 1).alignment(1 << 21), "not between", "general.alignment"),
  ALIGNMENT_SIGN_BIT(head(0, 1).alignment(1 << 31), "not between", "general.alignment"),
  ALIGNMENT_U64_WRAPS(
      head(0, 1).key("general.alignment", UINT64).u64((1L << 32) + 32),
      "not between",
      "general.alignment"),
  ALIGNMENT_IS_TEXT(
      head(0, 1).entry("general.alignment", "32"),
      "a whole number is expected",
      "general.alignment"),
  ALIGNMENT_IS_ARRAY(
      head(0, 1).key("general.alignment", ARRAY).u32(UINT32).u64(1).u32(32),
      "a whole number is expected",
      "general.alignment"),

  TENSOR_NAME_EMPTY(head(1, 0).tensor("", F32, 0, 8).data(32), "a tensor name is empty"),
  TENSOR_NAME_65_BYTES(
      head(1, 0).tensor("n".repeat(65), F32, 0, 8).data(32), "this program accepts at most 64"),
  TENSOR_NAME_LENGTH_WRAPS(head(1, 0).u64(-1).raw(new byte[64]), "the length of a tensor name"),
  TENSOR_TWICE(
      head(2, 0).tensor("t", F32, 0, 8).tensor("t", F32, 32, 8).data(64), "occurs twice", "t"),
  DIMENSIONS_0(head(1, 0).tensor("t", F32, 0).data(32), "0 dimensions", "t"),
  DIMENSIONS_5(head(1, 0).tensor("t", F32, 0, 1, 1, 1, 1, 1).data(32), "5 dimensions", "t"),
  DIMENSIONS_ALL_BITS(
      head(1, 0).string("t").u32(-1).raw(new byte[64]), "4294967295 dimensions", "t"),
  DIMENSIONS_CUT(
      head(1, 0).string("tensor").u32(4).u64(1).u64(1).u32(1), "the file ends", "tensor"),
  DIMENSION_0(head(1, 0).tensor("t", F32, 0, 8, 0).data(32), "dimension 1 is 0", "t"),
  DIMENSION_SIGN_BIT(
      head(1, 0).tensor("t", F32, 0, Long.MIN_VALUE).data(32), "9223372036854775808", "t"),
  DIMENSION_ALL_BITS(head(1, 0).tensor("t", F32, 0, -1).data(32), "18446744073709551615", "t"),
  DIMENSIONS_MULTIPLY_TO_ZERO(
      head(1, 0).tensor("t", F32, 0, 1L << 32, 1L << 32).data(32), "more than 2^63", "t"),
  DIMENSIONS_MULTIPLY_TO_SMALL(
      head(1, 0).tensor("t", F32, 0, (1L << 62) + 1, 4, 1, 1).data(32), "more than 2^63", "t"),
  ELEMENTS_TIMES_BYTES_WRAP(
      head(1, 0).tensor("t", F32, 0, 1L << 31, 1L << 31).data(32), "more than 2^63 bytes", "t"),
  TYPE_CUT(head(1, 0).string("tensor").u32(1).u64(8).u32(F32).u32(0), "the file ends", "tensor"),
  TYPE_UNKNOWN(head(1, 0).tensor("t", 77, 0, 32).data(64), "tensor type 77", "t"),
  TYPE_REMOVED(head(1, 0).tensor("t", 4, 0, 32).data(64), "tensor type 4", "t"),
  TYPE_OF_GGML_BUT_NOT_OURS(head(1, 0).tensor("t", 10, 0, 256).data(96), "Q2_K", "t"),
  TYPE_ALL_BITS(head(1, 0).tensor("t", -1, 0, 32).data(64), "tensor type", "t"),
  ROW_NO_WHOLE_BLOCKS_OF_32(
      head(1, 0).tensor("t", Q4_0, 0, 48, 2).data(64), "no whole number of Q4_0 blocks", "t"),
  ROW_NO_WHOLE_BLOCKS_OF_256(
      head(1, 0).tensor("t", Q4_K, 0, 128, 2).data(144), "no whole number of Q4_K blocks", "t"),
  OFFSET_CUT(head(1, 0).string("tensor").u32(1).u64(8).u32(F32).u32(0), "the file ends", "tensor"),
  OFFSET_NOT_ALIGNED(
      head(1, 0).tensor("t", F32, 4, 8).data(64), "no multiple of the alignment", "t"),
  OFFSET_NOT_ALIGNED_TO_64(
      head(1, 1).alignment(64).tensor("t", F32, 32, 8).data(256), "no multiple", "t"),
  OFFSET_PAST_END(head(1, 0).tensor("t", F32, 64, 8).data(32), "do not fit", "t"),
  OFFSET_SIGN_BIT(
      head(1, 0).tensor("t", F32, Long.MIN_VALUE, 8).data(32), "9223372036854775808", "t"),
  OFFSET_PLUS_SIZE_WRAPS(
      head(1, 0).tensor("t", F32, Long.MAX_VALUE - 31, 64).data(32), "do not fit", "t"),
  OFFSET_PLUS_DATA_START_WRAPS(head(1, 0).tensor("t", F32, -64, 8).data(32), "no multiple", "t"),
  DATA_ONE_BYTE_SHORT(head(1, 0).tensor("t", F32, 0, 8).data(31), "do not fit", "t"),
  DATA_MISSING(head(1, 0).tensor("t", F32, 0, 8), "do not fit", "t"),
  LAST_OF_TWO_TENSORS_CUT(
      head(2, 0).tensor("a", F32, 0, 8).tensor("b", F32, 32, 8).data(60), "do not fit", "b");

  final byte[] bytes;
  final String words;
  final String name;

  BrokenGguf(GgufBytes bytes, String words) {
    this(bytes, words, "");
  }

  BrokenGguf(GgufBytes bytes, String words, String name) {
    this.bytes = bytes.bytes();
    this.words = words;
    this.name = name;
  }
}

// NSString, NSError, NSArray, and what every object answers to.
#include <cstring>

#include "classes.h"

namespace softmetal {

String* newString(std::string text) {
  String* made = make<String>();
  made->text = std::move(text);
  return made;
}

Error* newError(const char* domain, long code, std::string text) {
  Error* made = make<Error>();
  made->domain = domain;
  made->code = code;
  made->text = std::move(text);
  return made;
}

Array::~Array() {
  for (Object* item : items) release(item);
}

static constexpr u64 UTF8 = 4;  // NSUTF8StringEncoding

static Object* retainObject(Object* self, Selector) { return retain(self); }
static void releaseObject(Object* self, Selector) { release(self); }
static Object* autoreleaseObject(Object* self, Selector) { return autorelease(self); }
static u64 retainCount(Object* self, Selector) { return self->references; }
static Object* itself(Object* self, Selector) { return self; }
static u8 respondsToSelector(Object* self, Selector, Selector asked) { return responds(self, asked); }
static void setLabel(Object* self, Selector message, void* text) {
  if (String* label = argument<String>(text, message)) self->label = label->text;
}
static Object* labelOf(Object* self, Selector) { return autoreleased(newString(self->label)); }

static Object* allocString(void*, Selector) { return make<String>(); }
static Object* stringWithUtf8(void*, Selector message, const char* text) {
  if (!text) finding("%s: NULL", message);
  return autoreleased(newString(text ? text : ""));
}
static Object* initWithUtf8(String* self, Selector message, const char* text) {
  if (!text) finding("%s: NULL", message);
  self->text = text ? text : "";
  return self;
}
static Object* initWithBytes(String* self, Selector message, const char* bytes, u64 length, u64 encoding) {
  if (encoding != UTF8) finding("%s: encoding %lu, where only UTF-8 (4) is known", message, encoding);
  if (!bytes && length) finding("%s: NULL", message);
  if (bytes) self->text.assign(bytes, length);
  return self;
}
static const char* utf8String(String* self, Selector) { return self->text.c_str(); }
static u64 stringLength(String* self, Selector) {  // in UTF-16 units
  u64 units = 0;
  for (unsigned char c : self->text) units += (c & 0xc0) != 0x80 ? (c >= 0xf0 ? 2 : 1) : 0;
  return units;
}
static u64 lengthOfBytes(String* self, Selector, u64) { return self->text.size(); }

static Object* localizedDescription(Error* self, Selector) { return autoreleased(newString(self->text)); }
static Object* errorDomain(Error* self, Selector) { return autoreleased(newString(self->domain)); }
static long errorCode(Error* self, Selector) { return self->code; }

static u64 arrayCount(Array* self, Selector) { return self->items.size(); }
static Object* objectAtIndex(Array* self, Selector message, u64 index) {
  if (index < self->items.size()) return self->items[index];
  finding("%s: index %lu of %lu", message, index, self->items.size());
  return nullptr;
}

void defineFoundation() {
  for (Class* each : {String::type(), Error::type(), Array::type(), CompileOptions::type(), Device::type(), Library::type(),
                      Function::type(), Pipeline::type(), Buffer::type(), Queue::type(), CommandBuffer::type(), Encoder::type()}) {
    define(each, {{"retain", method(retainObject)}, {"release", method(releaseObject)}, {"autorelease", method(autoreleaseObject)},
                  {"retainCount", method(retainCount)}, {"init", method(itself)}, {"respondsToSelector:", method(respondsToSelector)}});
  }
  for (Class* each : {Library::type(), Function::type(), Buffer::type(), Queue::type(), CommandBuffer::type(), Encoder::type()}) {
    define(each, {{"setLabel:", method(setLabel)}, {"label", method(labelOf)}});
  }
  define(Pipeline::type(), {{"label", method(labelOf)}});  // set through a descriptor only
  define(String::type()->meta, {{"alloc", method(allocString)}, {"stringWithUTF8String:", method(stringWithUtf8)}});
  define(String::type(), {{"initWithUTF8String:", method(initWithUtf8)}, {"initWithBytes:length:encoding:", method(initWithBytes)},
                          {"UTF8String", method(utf8String)}, {"length", method(stringLength)},
                          {"lengthOfBytesUsingEncoding:", method(lengthOfBytes)}});
  define(Error::type(), {{"localizedDescription", method(localizedDescription)}, {"domain", method(errorDomain)},
                         {"code", method(errorCode)}});
  define(Array::type(), {{"count", method(arrayCount)}, {"objectAtIndex:", method(objectAtIndex)}});
}

}  // namespace softmetal

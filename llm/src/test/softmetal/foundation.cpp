// NSString, NSError, and what every object answers to.
#include "classes.h"

namespace softmetal {

String* newString(std::string text) {
  String* made = make<String>();
  made->text = std::move(text);
  return made;
}

Error* newError(std::string text) {
  Error* made = make<Error>();
  made->text = std::move(text);
  return made;
}

static constexpr u64 UTF8 = 4;  // NSUTF8StringEncoding

static u8 respondsToSelector(Object* self, Selector, Selector asked) { return responds(self, asked); }
static void setLabel(Object* self, Selector message, void* text) {
  if (String* label = argument<String>(text, message)) self->label = label->text;
}

static Object* allocString(void*, Selector) { return make<String>(); }
static Object* initWithBytes(String* self, Selector message, const char* bytes, u64 length, u64 encoding) {
  if (encoding != UTF8) finding("%s: encoding %lu, where only UTF-8 (4) is known", message, encoding);
  if (!bytes && length) finding("%s: NULL", message);
  if (bytes) self->text.assign(bytes, length);
  return self;
}
static const char* utf8String(String* self, Selector) { return self->text.c_str(); }

static Object* localizedDescription(Error* self, Selector) { return autoreleased(newString(self->text)); }

void defineFoundation() {
  for (Class* each : {String::type(), Error::type(), CompileOptions::type(), Device::type(), Library::type(), Function::type(),
                      Pipeline::type(), Buffer::type(), Queue::type(), CommandBuffer::type(), Encoder::type()}) {
    define(each, {{"respondsToSelector:", method(respondsToSelector)}});
  }
  for (Class* each : {Library::type(), Buffer::type()}) define(each, {{"setLabel:", method(setLabel)}});
  define(String::type()->meta, {{"alloc", method(allocString)}});
  define(String::type(), {{"initWithBytes:length:encoding:", method(initWithBytes)}, {"UTF8String", method(utf8String)}});
  define(Error::type(), {{"localizedDescription", method(localizedDescription)}});
}

}  // namespace softmetal

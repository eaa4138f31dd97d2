// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Looks up Java's side once, when the library is loaded, and brings threads into Java.
#include "jvm.hpp"

#include "glue.hpp"

namespace clpool_java {

Jvm jvm;

namespace {

constexpr jint kVersion = JNI_VERSION_1_8;
constexpr jint kLocalReferences = 8;

// Attaches a driver's thread for the rest of its life.
struct Attachment {
  bool attached = false;
  ~Attachment() {
    if (attached) jvm.vm->DetachCurrentThread();
  }
};

JNIEnv* environment() {
  void* env = nullptr;
  if (jvm.vm == nullptr) return nullptr;
  const jint state = jvm.vm->GetEnv(&env, kVersion);
  if (state == JNI_OK) return static_cast<JNIEnv*>(env);
  if (state != JNI_EDETACHED || jvm.vm->AttachCurrentThreadAsDaemon(&env, nullptr) != JNI_OK) return nullptr;
  static thread_local Attachment attachment;
  attachment.attached = true;
  return static_cast<JNIEnv*>(env);
}

jclass find_class(JNIEnv* env, const char* name) {
  const jclass local = env->FindClass(name);
  return local == nullptr ? nullptr : static_cast<jclass>(env->NewGlobalRef(local));
}

}  // namespace

Upcall::Upcall() : env_(environment()), had_cause_(java_has_cause) {
  java_has_cause = false;
  if (env_ != nullptr && env_->PushLocalFrame(kLocalReferences) != JNI_OK) {
    env_->ExceptionClear();
    env_ = nullptr;
  }
}

Upcall::~Upcall() {
  java_has_cause = java_has_cause || had_cause_;
  if (env_ != nullptr) env_->PopLocalFrame(nullptr);
}

bool Upcall::failed() {
  if (!env_->ExceptionCheck()) return false;
  env_->ExceptionClear();
  return true;
}

}  // namespace clpool_java

extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* vm, void*) {
  using namespace clpool_java;
  JNIEnv* env = nullptr;
  if (vm->GetEnv(reinterpret_cast<void**>(&env), kVersion) != JNI_OK) return JNI_ERR;
  jvm.errors = find_class(env, "org/clpool/Errors");
  jvm.upcalls = find_class(env, "org/clpool/Upcalls");
  if (jvm.errors == nullptr || jvm.upcalls == nullptr) return JNI_ERR;
  const struct {
    jmethodID* id;
    jclass in;
    const char* name;
    const char* signature;
  } methods[] = {
      {&jvm.create_error, jvm.errors, "create", "(II[BZ)Ljava/lang/RuntimeException;"},
      {&jvm.drop_cause, jvm.errors, "dropCause", "()V"},
      {&jvm.allocate, jvm.upcalls, "allocate", "(Lorg/clpool/CustomAllocator;JJ[J)I"},
      {&jvm.deallocate, jvm.upcalls, "deallocate", "(Lorg/clpool/CustomAllocator;JJ)V"},
      {&jvm.destroy, jvm.upcalls, "destroy", "(Lorg/clpool/CustomAllocator;)V"},
      {&jvm.collect, jvm.upcalls, "collect", "(J)Z"},
      {&jvm.out_of_memory, jvm.upcalls, "outOfMemory", "(JJI)Z"},
      {&jvm.message, jvm.upcalls, "message", "(JI[B)V"},
      {&jvm.compute, jvm.upcalls, "compute", "(Ljava/util/function/Supplier;[Ljava/lang/Object;)I"},
      {&jvm.forget, jvm.upcalls, "forget", "(Lorg/clpool/Cache$Result;)V"},
      {&jvm.progress, jvm.upcalls, "progress", "(Lorg/clpool/ReplayProgress;JJ)Z"},
  };
  for (const auto& method : methods) {
    *method.id = env->GetStaticMethodID(method.in, method.name, method.signature);
    if (*method.id == nullptr) return JNI_ERR;
  }
  jvm.vm = vm;
  return kVersion;
}

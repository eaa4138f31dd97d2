// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What the hand-written parts of the extension module share: errors, conversions of arguments, and the object
// types that SWIG's typemaps hand in and out. All functions are called with the interpreter's lock (GIL)
// unless they say so.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <clpool/clpool.h>

#include <memory>
#include <string_view>
#include <vector>

namespace clpool::python {

/// A function of other parameters than PyCFunction's in a list of methods, as its flags say.
template <typename Function>
PyCFunction as_method(Function* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

/// Whether the interpreter ends: nothing that is put off is carried out any more.
inline bool interpreter_ends() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

/// Whether this thread holds the GIL of an interpreter that ends: references can still be given up, which lets go of what
/// programs' functions have in their globals, and nothing else.
inline bool gives_up_to_the_last() {
#if PY_VERSION_HEX >= 0x030D0000
  PyThreadState* state = PyThreadState_GetUnchecked();
#else
  PyThreadState* state = _PyThreadState_UncheckedGet();
#endif
  return interpreter_ends() && state != nullptr && state == PyGILState_GetThisThreadState();
}

// errors.cpp

/// Finds the package's exception classes; false with an exception set.
bool find_errors();

/// Raises what a failed status stands for, with the calling thread's last message. A user's own exception
/// that was put by in a callback goes first.
void raise_status(clpool_status status);

/// After a call that may have run callbacks: true if it succeeded, else false with an exception set.
bool succeeded(clpool_status status);

/// Raises OpenCLError for a call of OpenCL's own.
void raise_cl(const char* call, cl_int code);

/// Raises InvalidOperationError with this text, or for the use of something that was released.
void raise_invalid_operation(const char* text);
void raise_released(const char* what);
/// Raises InvalidOperationError for the use of something that the parent process made.
void raise_of_parent(const char* what);
/// Raises InvalidOperationError for the release of something that calls use.
void raise_in_use(const char* what, Py_ssize_t calls);

/// __reduce__() of what belongs to the process: no protocol of pickle takes it.
PyObject* refuse_pickle(PyObject* object, PyObject*);
#define CLPOOL_REFUSES_PICKLE \
  { "__reduce__", refuse_pickle, METH_NOARGS, nullptr }

// numbers.cpp

/// An unsigned number of any type that has __index__; false with an exception set.
bool to_unsigned(PyObject* object, uint64_t max, const char* name, uint64_t& value);
/// Yes or no: the truth of an object, as of NumPy's bool_, which is no integer.
bool to_flag(PyObject* object, int32_t& flag);
bool to_signed(PyObject* object, int64_t min, int64_t max, const char* name, int64_t& value);

/// `what` of to_cl_handle() where objects of every type will do.
inline constexpr std::string_view any_cl_object = "OpenCL object";

/// An OpenCL handle: an object with int_ptr such as PyOpenCL's and ours, or an integer of any type, which bool is none of
/// here; None is NULL. `what` is the handle's type, such as "cl_event"; TypeError for objects that are known to be of another.
bool to_cl_handle(PyObject* object, const char* what, void*& handle);
/// The same of one that must be there: TypeError for None, with the argument's name; 0 is refused by the library.
bool to_given_cl_handle(PyObject* object, const char* what, const char* name, void*& handle);

/// A reference that goes at the end of its scope.
struct Kept {
  PyObject* object = nullptr;
  Kept() = default;
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() { Py_XDECREF(object); }
};

/// The handles of a sequence's or iterator's objects, none for None, which `items` keeps alive: for as long as the call takes.
bool to_cl_handles(PyObject* object, const char* what, std::vector<void*>& handles, Kept& items);

/// A sequence of sizes.
bool to_sizes(PyObject* object, const char* name, std::vector<size_t>& sizes);
/// The items of a sequence as they are now, as a tuple; the TypeError says `refusal`.
PyObject* tuple_of(PyObject* object, const char* refusal);
/// A list of names, none of them 0, and values in turns, with the 0 at its end.
bool to_pairs(PyObject* object, const char* name, std::vector<size_t>& numbers);

/// Up to three sizes; missing ones are `fill`. A single number counts as a sequence of one.
bool to_three(PyObject* object, const char* name, size_t fill, size_t (&sizes)[3]);

/// An address given as an integer; None is NULL.
bool to_address(PyObject* object, const char* name, void*& address);

/// A text in UTF-8, which belongs to the object and ends where the object's ends; None is NULL.
bool to_text(PyObject* object, const char* name, const char*& text);

/// A path of any type that Python's own functions take, in the file system's encoding.
class HostPath {
 public:
  HostPath() = default;
  HostPath(const HostPath&) = delete;
  HostPath& operator=(const HostPath&) = delete;
  ~HostPath() { Py_XDECREF(bytes_); }

  /// False with an exception set.
  bool open(PyObject* object) { return PyUnicode_FSConverter(object, &bytes_) != 0; }
  const char* text() const { return PyBytes_AS_STRING(bytes_); }

 private:
  PyObject* bytes_ = nullptr;
};

// host_view.cpp

bool add_host_view_type(PyObject* module);

/// A contiguous buffer of a Python object, given back at the end.
class HostBuffer {
 public:
  HostBuffer() = default;
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  ~HostBuffer() { Py_XDECREF(view_); }

  /// None gives no bytes. False with an exception set.
  bool open(PyObject* object, bool writable);
  void* data() const;
  size_t size() const;
  /// A HostView, which keeps it longer; NULL for no bytes.
  PyObject* view() const { return view_; }

 private:
  PyObject* view_ = nullptr;
};

/// Counts one call that uses an object, until the scope is left: what is in use is not released meanwhile.
class InUse {
 public:
  InUse() = default;
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;
  ~InUse() {
    if (count_ != nullptr) {
      --*count_;
    }
  }
  void begin(Py_ssize_t& count) { ++*(count_ = &count); }

 private:
  Py_ssize_t* count_ = nullptr;
};

// later.cpp: what finalizers may not do themselves

/// Puts a release off to the next call of any thread that may call a driver, or to the next moment at which
/// the main thread runs Python code. From any thread, with or without the GIL.
void release_later(void (*release)(void*), void* object);

/// Whether anything is put off.
bool releases_wait();

/// Carries out a piece of it. Drops the GIL meanwhile.
void carry_out_a_piece();

/// Carries out all that was put off so far. Drops the GIL meanwhile.
void finish_releases();

/// Keeps what was put off whole in children of fork(); false with an exception set.
bool follow_forks();

/// How many calls of fork() lie between the process that loaded the module and this one.
unsigned process_generation();

// handles.cpp

/// One handle type of the C API.
struct HandleKind {
  const char* name;
  /// Gives the handle back; called without the GIL.
  clpool_status (*release)(void*);
  /// Whether that may call a driver, and is therefore put off in finalizers. A child of fork() cannot use the parent's.
  bool later;
};

extern const HandleKind clpool_allocator_kind, clpool_map_kind, clpool_heap_kind, clpool_heap_range_kind,
    clpool_trace_kind, clpool_trace_writer_kind, clpool_device_data_kind, clpool_memo_kind,
    clpool_memo_value_kind;

bool add_handle_type(PyObject* module);
/// The handle in `object`, NULL with an exception set if it is another or was released.
void* handle_of(PyObject* object, const HandleKind& kind, InUse& use);
/// The same; NULL with an exception set also if a call of another thread uses it.
void* unshared_handle_of(PyObject* object, const HandleKind& kind, InUse& use);
/// Whether releasing what the handle is of runs functions written in Python, which must find their objects
/// whole: it is then given back before the garbage collector takes cycles apart.
bool calls_python(PyObject* handle);

/// Python objects that a handle's C object owns, for the garbage collector.
struct References {
  virtual ~References() = default;
  virtual int show(visitproc visit, void* arg) = 0;
};

/// Those of a handle.
const std::shared_ptr<References>& references_of(PyObject* handle);

/// A new object that owns the handle; gives it back on failure.
PyObject* new_handle(void* handle, const HandleKind& kind, std::shared_ptr<References> references = nullptr,
                     bool calls_python = false);

// map.cpp

bool add_mapped_type(PyObject* module);

// cl_objects.cpp: contexts, queues, events and samplers that belong to us

bool add_cl_types(PyObject* module);
/// keep_until_gone(memory, object): keeps the object until OpenCL has destroyed the memory's cl_mem, that is
/// until no part, map or command uses it either.
PyObject* keep_until_gone(PyObject* module, PyObject* args);
/// What a command uses beyond the call that enqueues it.
class CommandNeeds {
 public:
  CommandNeeds() = default;
  CommandNeeds(const CommandNeeds&) = delete;
  CommandNeeds& operator=(const CommandNeeds&) = delete;
  ~CommandNeeds();

  /// Nothing is added for NULL.
  void add(PyObject* object);
  /// The call returns when the command is complete, and so nothing is needed.
  void end_with_call() { with_call_ = true; }
  std::vector<PyObject*> take();

 private:
  std::vector<PyObject*> objects_;
  bool with_call_ = false;
};

/// The Event of a command that a call enqueues. It is there before the command, so that nothing can fail behind it.
class CommandEvent {
 public:
  CommandEvent() = default;
  CommandEvent(const CommandEvent&) = delete;
  CommandEvent& operator=(const CommandEvent&) = delete;
  ~CommandEvent() { Py_XDECREF(object_); }

  /// False with an exception set.
  bool make();
  /// The Event, which owns the reference and keeps what the command needs; None for NULL.
  PyObject* take(cl_event event, CommandNeeds& needs);

 private:
  PyObject* object_ = nullptr;
};

/// context_of(object, "cl_command_queue" or "cl_kernel"): its context's handle.
PyObject* context_of(PyObject* module, PyObject* args);
/// create_context(device): a Context with it alone.
PyObject* create_context(PyObject* module, PyObject* device);
/// A new Event that owns the reference; None for NULL.
PyObject* new_event(cl_event event);

// memory.cpp

struct MemoryObject {
  PyObject_HEAD clpool_mem* mem;
  /// The pool, parent or host memory that this keeps alive; may be NULL.
  PyObject* kept;
  PyObject* weak_references;
  /// What hash() said, which lasts beyond the release; 0 before it was asked.
  Py_hash_t hash;
  /// Calls that use it at this moment.
  Py_ssize_t uses;
  /// A weak reference to an array over it that has no view through the buffer protocol; NULL without one.
  PyObject* array;
  /// Views through the buffer protocol.
  int exports;
  /// Whether the cl_mem owns a reference to `kept` too: see keep_until_gone().
  char kept_until_gone;
  /// Whether its number is none of an address: no view of it is possible.
  char addressless;
  /// Whether its release runs functions written in Python: see calls_python().
  char calls_python;
  /// Whether it lies in host memory that nothing but `kept` keeps, also for commands.
  char lent;
};

bool add_memory_type(PyObject* module);
clpool_mem* memory_of(PyObject* object, InUse& use);
/// The same, for a command.
clpool_mem* memory_of(PyObject* object, InUse& use, CommandNeeds& needs);
/// A new object of `type` (a subtype of Memory) that owns the memory; gives it back on failure. None for
/// NULL.
PyObject* new_memory(PyTypeObject* type, clpool_mem* mem, PyObject* kept);
/// The same of the class that belongs to the memory's kind.
PyObject* new_memory_of_kind(clpool_mem* mem);
/// What release() of an object does; false with an exception set.
bool release_memory(PyObject* object);
/// Says which class memory of a kind gets: memory_classes({kind: class}).
PyObject* set_memory_classes(PyObject* module, PyObject* classes);
/// Spares objects of a class what Python does for subclasses when they end, if the class adds neither attributes
/// nor a finalizer: a quarter of the price of a block.
void end_directly(PyTypeObject* type);
/// unpinned_view(memory): its bytes, without keeping it, for objects that may be read after its release.
PyObject* unpinned_view(PyObject* module, PyObject* memory);
/// adopt(class, memory, kept or None): the same memory as an object of another class; the first one is
/// released. None gives an object without memory.
PyObject* adopt(PyObject* module, PyObject* args);

// foreign.cpp: memory as objects of another package

/// add_foreign_class(class, make, is_handle): a subclass of another package's class that adds nothing to it. An object of
/// the latter is given by make(handle, True), for a cl_mem, or else by make(bytes), for SVM.
PyObject* add_foreign_class(PyObject* module, PyObject* args);
/// Such a class; NULL with an exception set if that was not called with it.
struct ForeignClass;
const ForeignClass* foreign_class(PyObject* type);
/// An object of such a class over the memory, whose reference it takes, also on failure; with a note or NULL.
PyObject* foreign_object(const ForeignClass& wanted, PyObject* memory, PyObject* note);
/// foreign_object(class, memory[, note])
PyObject* foreign_object_of(PyObject* module, PyObject* args);
/// give_foreign_memory(object, memory, note): an object of such a class that the program made stands for the memory.
PyObject* give_foreign_memory(PyObject* module, PyObject* args);
/// foreign_note(object): what was noted last; None for nothing.
PyObject* foreign_note(PyObject* module, PyObject* object);
/// set_foreign_note(object, note)
PyObject* set_foreign_note(PyObject* module, PyObject* args);
/// foreign_memory(object): the memory that it stands for; AttributeError if it is none of ours.
PyObject* foreign_memory(PyObject* module, PyObject* object);
/// release_foreign(object): gives the memory back.
PyObject* release_foreign(PyObject* module, PyObject* object);

// pool.cpp

bool add_pool_type(PyObject* module);
clpool_pool* pool_of(PyObject* object, InUse& use);
/// The struct in an object of SWIG's; NULL with an exception set if it is another. In the generated file.
const clpool_pool_options* pool_options_of(PyObject* object);

// callbacks.cpp

/// Puts the current exception by until the call that ran the callback is over.
void put_exception_by();
/// The exception that was put by becomes the current one; false if there is none.
bool take_exception_back();

/// The MemoryError of a custom allocator that led to a status, or nullptr: a new reference.
PyObject* take_no_memory();

/// Functions of a pool, found by number, so that a pool that outlives its object calls nothing.
struct PoolFunctions {
  PyObject* collect = nullptr;
  PyObject* out_of_memory = nullptr;
  PyObject* message = nullptr;
};

/// Registers functions (references are added); 0 with an exception set on failure.
uint64_t register_functions(const PoolFunctions& functions);
void unregister_functions(uint64_t number);
/// Visits them for the garbage collector.
int visit_functions(uint64_t number, visitproc visit, void* arg);
clpool_pool_callbacks callbacks_of(const PoolFunctions& functions);

PyObject* create_custom_allocator(PyObject* module, PyObject* args);
PyObject* set_message_callback(PyObject* module, PyObject* callback);
/// When the program ends: the receiver of messages would keep its module's globals, and no memory in them would be given back.
void forget_message_callback();
PyObject* visit_pool(PyObject* module, PyObject* args);
PyObject* replay(PyObject* module, PyObject* args);

// cache.cpp

PyObject* create_cache(PyObject* module, PyObject* args);
PyObject* cache_get(PyObject* module, PyObject* args);
PyObject* cache_find(PyObject* module, PyObject* args);

/// Holds the GIL in functions that the library calls, from whichever thread; not held once the interpreter
/// ends.
class HoldInterpreter {
 public:
  HoldInterpreter();
  ~HoldInterpreter();
  HoldInterpreter(const HoldInterpreter&) = delete;
  HoldInterpreter& operator=(const HoldInterpreter&) = delete;
  explicit operator bool() const { return held_; }

 private:
  bool held_;
  PyGILState_STATE state_{};
  PyObject* outer_ = nullptr;            // an exception that was put by before
  PyObject* outer_no_memory_ = nullptr;  // the same of take_no_memory()
};

/// Blocks the calling thread for good: what is left to a thread that wants the GIL of an interpreter that
/// ends.
[[noreturn]] void park();

/// Drops the GIL for a scope. A thread that is not the interpreter's last one never leaves the scope once the
/// interpreter ends.
class DropInterpreter {
 public:
  DropInterpreter() : state_(PyEval_SaveThread()) {}
  ~DropInterpreter();
  DropInterpreter(const DropInterpreter&) = delete;
  DropInterpreter& operator=(const DropInterpreter&) = delete;

 private:
  PyThreadState* state_;
};

/// Drops the GIL for a call that may wait or call a driver, and before it carries out a piece of what
/// finalizers put off.
class DriverCall {
 public:
  DriverCall();
  /// For a call that found no memory, before its second try: collects garbage and carries out all that was put
  /// off. False once the interpreter ends.
  bool make_room() const;

 private:
  DropInterpreter drop_;
};

}  // namespace clpool::python

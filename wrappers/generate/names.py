# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""What the headers do not say of the wrappers: names that do not follow the rule, what each struct is in each language,
and what is written by hand, with the reason. README.md has the rules."""

from typing import Dict, Optional, Tuple

# Enumerations, by what their numbers' names share. The rule: CLPOOL_DEVICE_VENDOR_… is device_vendor in Python,
# and DeviceVendor in Java and C#.
ENUMS = {
    "CLPOOL_ERROR_": {"python": "status", "java": "Status", "csharp": "Status"},
    "CLPOOL_MESSAGE_": {"python": "severity", "java": "Severity", "csharp": "MessageSeverity"},
    "CLPOOL_MEM_KIND_": {"python": "memory_kind", "java": "MemoryKind", "csharp": "MemoryKind"},
    "CLPOOL_STRATEGY_": {"csharp": "PoolStrategy"},
    "CLPOOL_STRETCH_": {"python": "stretch_state", "java": "PoolStretch.State", "csharp": "StretchState"},
    "CLPOOL_SOURCE_": {"python": "answer_source", "java": "AnswerSource", "csharp": "AnswerSource"},
    "CLPOOL_SVM_KIND_": {"python": "svm_kind", "java": "SvmKind", "csharp": "SvmKind"},
    "CLPOOL_REGISTERS_": {"python": "register_allocation", "java": "RegisterAllocation",
                          "csharp": "RegisterAllocation"},
    "CLPOOL_LIMITED_BY_": {"python": "limiting_factors", "java": "LimitingFactor", "csharp": "LimitingFactors"},
    "CLPOOL_TRACE_": {"python": "trace_action", "java": "TraceAction", "csharp": "LogAction"},
    "CLPOOL_MEMO_": {"python": "cache_owner", "csharp": "CacheOwner"},
    "CLPOOL_ELEMENT_": {"python": "element_type", "java": "ElementType", "csharp": "ElementType"},
}

# Where the part that the names share is not all that is in front of them.
PREFIXES = {"CLPOOL_SUCCESS": "CLPOOL_ERROR_", "CLPOOL_REGISTERS_BY_WARP": "CLPOOL_REGISTERS_"}

# Enumerations whose numbers are bits.
FLAGS = {"CLPOOL_LIMITED_BY_", "CLPOOL_DEVICE_", "CLPOOL_OCCUPANCY_"}

# Enumerations of bits that users set one by one: each is a boolean of its own.
BOOLEANS = {"CLPOOL_DEVICE_", "CLPOOL_OCCUPANCY_"}

# Enumerations that are no type of the language, and why. Their numbers are constants behind the classes nevertheless.
NO_ENUM = {
    "CLPOOL_GUARD_": "a boolean, or nothing, which is the default",
    "CLPOOL_MEMORY_": "for clpool_pool_create_default(), which the wrappers do not offer: not_wrapped.txt says why",
    "CLPOOL_DEVICE_": "each bit is a boolean of its own",
    "CLPOOL_OCCUPANCY_": "each bit is a boolean of its own",
}
NO_ENUM_IN = {
    "java": {
        "CLPOOL_MEMO_": "which method is called says it",
        "CLPOOL_STRUCT_ARGUMENT_BUG_": "it is an Answer, whose value is the number",
    },
}

# Numbers of an enumeration that are no values of the languages' type, and why. They are constants behind the classes as well.
NO_VALUE = {"CLPOOL_TOUCH_WAIT": "added to any of the others: a boolean of its own"}

# What numbers that a newer library may return stand for; others are refused.
UNKNOWN = {"CLPOOL_ERROR_": "CLPOOL_ERROR_INTERNAL", "CLPOOL_MESSAGE_": "CLPOOL_MESSAGE_ERROR"}

# Exceptions. In Python each status has a class, its name in PascalCase, which is also of this built-in class.
ERRORS_IN_PYTHON = {
    "CLPOOL_ERROR_INVALID_VALUE": "ValueError", "CLPOOL_ERROR_INVALID_OPERATION": "RuntimeError",
    "CLPOOL_ERROR_OUT_OF_MEMORY": "MemoryError", "CLPOOL_ERROR_OUT_OF_HOST_MEMORY": "MemoryError",
    "CLPOOL_ERROR_NOT_SUPPORTED": "NotImplementedError", "CLPOOL_ERROR_OPENCL": "RuntimeError",
    "CLPOOL_ERROR_CALLBACK": "RuntimeError", "CLPOOL_ERROR_IO": "OSError", "CLPOOL_ERROR_BAD_FORMAT": "ValueError",
    "CLPOOL_ERROR_NOT_FOUND": "LookupError", "CLPOOL_ERROR_WOULD_BLOCK": "RuntimeError", "CLPOOL_ERROR_INTERNAL": "RuntimeError",
}
# In Java and C# some have one, which is of a class of the language; the others are the exception of all.
ERRORS = {
    "CLPOOL_ERROR_INVALID_VALUE": {"java": ("InvalidValueException", "IllegalArgumentException"),
                                   "csharp": ("ClPoolArgumentException", "System.ArgumentException")},
    "CLPOOL_ERROR_INVALID_OPERATION": {"java": ("InvalidStateException", "IllegalStateException"),
                                       "csharp": ("ClPoolInvalidOperationException", "System.InvalidOperationException")},
    "CLPOOL_ERROR_NOT_SUPPORTED": {"java": ("NotSupportedException", "ClpoolException"),
                                   "csharp": ("ClPoolNotSupportedException", "System.NotSupportedException")},
    "CLPOOL_ERROR_OUT_OF_MEMORY": {"java": ("OutOfDeviceMemoryException", ""), "csharp": ("OutOfDeviceMemoryException", "")},
}
# Of these the ones without a class of the language are written by hand: users' allocators throw them.

# Parts of names in PascalCase that are more than a capital letter.
PASCAL = {"PYOPENCL": "PyOpenCl", "PYCUDA": "PyCuda", "OPENCL": "OpenCL", "UINT8": "UInt8", "UINT16": "UInt16",
          "UINT32": "UInt32"}
# The same for single numbers.
PASCAL_VALUES = {"CLPOOL_ERROR_IO": "InputOutput"}

# Units at the end of a field's name.
UNITS = {"java": {"ns": "nanos", "us": "micros", "ps": "picos"}}

# What the library fills in: classes whose objects never change. The rule for names: that of the struct without clpool_.
RESULTS = {
    "clpool_answer": {"python": "Answer", "java": "Answer", "csharp": "Answer"},
    "clpool_device_facts": {"python": "DeviceFacts", "java": "DeviceFacts", "csharp": "DeviceFacts"},
    "clpool_device_limits": {"python": "DeviceLimits", "java": "DeviceLimits", "csharp": "DeviceLimits"},
    "clpool_heap_stats": {"python": "HeapStatistics", "java": "HeapStatistics", "csharp": "HeapStatistics"},
    "clpool_occupancy": {"python": "Occupancy", "java": "Occupancy", "csharp": "OccupancyRecord"},
    "clpool_performance": {"python": "Performance", "java": "Performance", "csharp": "DevicePerformance"},
    "clpool_pool_stats": {"python": "PoolStatistics", "java": "PoolStatistics", "csharp": "PoolStatistics"},
    "clpool_pool_stretch": {"python": "Stretch", "java": "PoolStretch", "csharp": "PoolStretch"},
    "clpool_trace_event": {"python": "TraceEvent", "java": "TraceEvent", "csharp": "LogEvent"},
    "clpool_trace_replay_result": {"python": "ReplayResult", "java": "ReplayResult", "csharp": "ReplayResult"},
    "clpool_trace_stats": {"python": "TraceStatistics", "java": "TraceStatistics", "csharp": "LogStatistics"},
}

# What users fill in. In Python they are arguments of functions.
OPTIONS = {
    "clpool_bank_memory": {"java": "BankMemory", "csharp": "BankMemory"},
    "clpool_device_limits": {"python": "DeviceLimits", "java": "DeviceLimitsBuilder", "csharp": "DeviceLimits"},
    "clpool_device_options": {"csharp": "DeviceOptions"},
    "clpool_occupancy_request": {"java": "OccupancyRequest", "csharp": "OccupancyRequest"},
    "clpool_performance_options": {"csharp": "PerformanceOptions"},
    "clpool_pool_options": {"java": "PoolBuilder", "csharp": "PoolOptions"},
}

# Results that Java gets as an array although not all of their fields are of 64 bits.
ARRAYS_IN_JAVA = {"clpool_pool_stretch"}

# Classes that hand-written code adds to: in C# the other part of a partial class, in Java one that extends …Fields.
EXTENDED = {
    "java": {"Answer", "BankMemory", "DeviceLimitsBuilder", "OccupancyRequest", "PoolBuilder"},
    "csharp": {"Answer", "OccupancyRecord", "PoolOptions"},
}
# Options of Java whose methods give a changed copy; others change themselves.
COPIES = {"BankMemory", "OccupancyRequest"}
# Of these the ones with a text of their own.
OWN_TEXT = {"csharp": {"Answer", "OccupancyRecord"}}

# Structs that a language has no generated class for, and why.
BY_HAND = {
    "clpool_allocator_ops": "functions of the user: each language has its own way to be called",
    "clpool_memo_ops": "functions of the user: each language has its own way to be called",
    "clpool_pool_callbacks": "functions of the user: each language has its own way to be called",
    "clpool_box": "arrays of one to three entries, filled up with 1 or with 0, and pitches in pairs",
    "clpool_image_options": "host memory, a buffer and arrays of one to three entries: objects of the language",
    "clpool_image_array": "host memory and arrays of one to three entries: objects of the language",
    "clpool_trace_replay_options": "arguments of the replay",
}
BY_HAND_IN = {
    "python": {
        "clpool_bank_memory": "arguments of bank_conflicts()",
        "clpool_device_options": "arguments of choose_device() and its like",
        "clpool_occupancy": "a dictionary of limits, in which those that do not bind are None",
        "clpool_occupancy_request": "arguments of occupancy()",
        "clpool_performance_options": "arguments of measure_performance()",
        "clpool_pool_options": "arguments of the pools, which help(), editors and mypy show",
    },
    "java": {
        "clpool_device_options": "DeviceSelection, whose methods have the words of a choice: byEnvironment(), ignoringEnvironment()",
        "clpool_performance_options": "arguments of Characterization.performance()",
    },
}

# Of these the ones that SWIG makes classes of, as it does of all results and options.
SWIG_STRUCTS = {"clpool_box", "clpool_image_options", "clpool_image_array"}

# Functions that neither wait nor call a driver, but take long.
LONG = {"clpool_trace_parse"}

# Functions that a language's sources call by SWIG although code beside it calls them as well: those that tell of errors.
CALLED_BY_ALL = {"clpool_cl_error_name", "clpool_last_cl_error", "clpool_last_error_message", "clpool_status_string"}

# Fields that a class has by hand or not at all, and why. Everywhere left out are struct_size, version, what must be 0,
# and counts of arrays.
FIELDS_BY_HAND = {
    "clpool_pool_options.leading_bits_in_bin_id": "0 and the default have other values than in C",
    "clpool_pool_options.callbacks": "functions of the user",
    "clpool_pool_options.user": "functions of the user",
    "clpool_pool_options.queues": "objects that live as long as the call",
    "clpool_pool_options.queue_count": "the number of the queues",
    "clpool_pool_options.guard": "a boolean, or nothing, which is the default",
}
FIELDS_BY_HAND_IN = {
    "java": {"clpool_occupancy_request.flags": "methods withoutOptIn() and withPartitionedCache()"},
    "csharp": {"clpool_pool_options.decay_ns": "a TimeSpan, Decay", "clpool_pool_options.wait_ns": "a TimeSpan, Wait"},
    "python": {"clpool_device_limits.model": "an argument of its own"},
}

# Fields whose name does not follow the rule, and orders of fields that were there before.
FIELDS = {("csharp", "clpool_occupancy.limiting_factors"): "LimitedBy"}
ORDER: Dict[Tuple[str, str], Tuple[str, ...]] = {("python", "clpool_answer"): ("value", "source", "basis", "note")}
# 32-bit numbers that may be any of theirs: long in C#, where the others are int.
LONG_IN_CSHARP = {"clpool_occupancy"}

# Constants that belong to the class of a struct: name in upper case.
CONSTANTS = {
    "CLPOOL_TRACE_NO_SLOT": ("clpool_trace_event", "NO_SLOT"),
    "CLPOOL_OCCUPANCY_UNLIMITED": ("clpool_occupancy", "UNLIMITED"),
}
# Fields that are None in Python where they are that constant.
OPTIONAL_IN_PYTHON = {"clpool_trace_event.slot": "CLPOOL_TRACE_NO_SLOT"}

# Members that only Java's enums have.
JAVA_MEMBERS = {
    "CLPOOL_SOURCE_": """
@Override
public String toString() {
  return Native.clpool_source_name(number);
}
""",
    "CLPOOL_LIMITED_BY_": """
/**
 * Its name in a model's words.
 *
 * @param model whose
 * @return text such as "registers"
 */
public String name(Model model) {
  return Native.clpool_occupancy_factor_name(number, Errors.required("model", model).number());
}
""",
}

# Names in comments that are neither fields nor numbers with a name of their own: what stands for them in each language.
WORDS: Dict[str, Dict[str, str]] = {
    "clpool_pool_tick()": {"python": "tick()", "java": "{@link Pool#tick()}", "csharp": '<see cref="Pool.Tick"/>'},
    "clpool_mem_set_tag()": {"python": "MemoryObject.tag", "java": "{@link Memory#setTag}",
                             "csharp": '<see cref="MemoryObject.SetTag"/>'},
    "clpool_last_cl_error()": {"python": "ClpoolError.code", "java": "{@link ClpoolError#clError()}",
                               "csharp": '<see cref="IClPoolError.ClError"/>'},
    "clpool_pool_options.trace_messages": {"python": "trace_messages", "java": "{@link PoolBuilder#traceMessages}",
                                           "csharp": '<see cref="PoolOptions.TraceMessages"/>'},
    "out_of_memory": {"python": "out_of_memory", "java": "{@link PoolBuilder#onOutOfMemory out-of-memory}",
                      "csharp": '<see cref="PoolOptions.OutOfMemory"/>'},
    "CLPOOL_DEVICE": {}, "cl_context": {}, "cl_device_id": {}, "cl_command_queue": {}, "cl_mem": {},
    "clpool_pool": {"python": "Pool", "java": "{@link Pool}", "csharp": '<see cref="Pool"/>'},
    "clpool_pool_create": {},
}

# The enumerations of opencl.h by their first number: what their numbers' names begin with, and their classes. In C# three of
# them are one; Java has all numbers in one class, Cl, by their names without CL_.
OPENCL: Dict[str, Tuple[str, str, Optional[str]]] = {
    "CL_MEM_READ_WRITE": ("CL_MEM_", "mem_flags", "MemFlags"),
    "CL_MAP_READ": ("CL_MAP_", "map_flags", "MapFlags"),
    "CL_MIGRATE_MEM_OBJECT_HOST": ("CL_MIGRATE_MEM_OBJECT_", "mem_migration_flags", "MigrationFlags"),
    "CL_DEVICE_TYPE_DEFAULT": ("CL_DEVICE_TYPE_", "device_type", "DeviceTypes"),
    "CL_DEVICE_SVM_COARSE_GRAIN_BUFFER": ("CL_DEVICE_SVM_", "device_svm_capabilities", "SvmCapabilities"),
    "CL_MEM_OBJECT_BUFFER": ("CL_MEM_OBJECT_", "mem_object_type", "ImageType"),
    "CL_MEM_TYPE": ("CL_MEM_", "mem_info", "MemInfo"),
    "CL_IMAGE_FORMAT": ("CL_IMAGE_", "image_info", "MemInfo"),
    "CL_PIPE_PACKET_SIZE": ("CL_PIPE_", "pipe_info", "MemInfo"),
    "CL_R": ("CL_", "channel_order", "ChannelOrder"),
    "CL_SNORM_INT8": ("CL_", "channel_type", "ChannelType"),
    "CL_ADDRESS_NONE": ("CL_ADDRESS_", "addressing_mode", "AddressingMode"),
    "CL_FILTER_NEAREST": ("CL_FILTER_", "filter_mode", "FilterMode"),
    "CL_SAMPLER_REFERENCE_COUNT": ("CL_SAMPLER_", "sampler_info", None),
}
OPENCL_FLAGS = {"mem_flags", "svm_mem_flags", "map_flags", "mem_migration_flags", "device_type", "device_svm_capabilities"}
# The classes of bits by what their numbers' names begin with.
OPENCL_BITS: Dict[str, Dict[str, str]] = {
    prefix: {"python": python, "csharp": csharp or ""} for prefix, python, csharp in OPENCL.values() if python in OPENCL_FLAGS}
# Of PyOpenCL's classes two share their numbers: which have those of mem_flags that begin so.
OPENCL_SVM = "CL_MEM_SVM_"
OPENCL_ACCESS = ("CL_MEM_READ_WRITE", "CL_MEM_WRITE_ONLY", "CL_MEM_READ_ONLY")
# Names in C# that are not those of OpenCL in PascalCase; None: not there.
OPENCL_IN_CSHARP: Dict[str, Optional[str]] = {
    **{f"CL_{name}": name for name in ("RG", "RA", "RGB", "RGBA", "BGRA", "ARGB", "ABGR", "Rx", "RGx", "RGBx")},
    "CL_sRGB": "SRGB", "CL_sRGBx": "SRGBx", "CL_sRGBA": "SRGBA", "CL_sBGRA": "SBGRA",
    "CL_UNORM_INT_101010_2": "UnormInt101010_2", "CL_MIGRATE_MEM_OBJECT_HOST": "ToHost",
    "CL_MEM_ASSOCIATED_MEMOBJECT": "AssociatedMemObject", "CL_IMAGE_NUM_MIP_LEVELS": "ImageMipLevels",
    "CL_IMAGE_NUM_SAMPLES": "ImageSamples", "CL_MEM_OBJECT_BUFFER": None, "CL_MEM_OBJECT_PIPE": None,
    **{f"CL_MEM_OBJECT_IMAGE{kind}": "Image" + kind.replace("_ARRAY", "Array").replace("_BUFFER", "Buffer")
       for kind in ("1D", "1D_ARRAY", "1D_BUFFER", "2D", "2D_ARRAY", "3D")},
}
# What Python's classes have besides, as PyOpenCL's: names of extensions, some of which OpenCL took in.
OPENCL_MORE_IN_PYTHON = {
    "mem_flags": (("USE_PERSISTENT_MEM_AMD", 0x40, "AMD's extension: memory of the device that the host reaches."),),
    "sampler_info": (("MIP_FILTER_MODE_KHR", 0x1155, "The same as MIP_FILTER_MODE."), ("LOD_MIN_KHR", 0x1156, "The same as LOD_MIN."),
                     ("LOD_MAX_KHR", 0x1157, "The same as LOD_MAX.")),
}
# What C#'s enumerations have besides: name, number, comment.
OPENCL_MORE_IN_CSHARP = {
    "MemFlags": ("None", 0, "The default."), "MigrationFlags": ("None", 0, "To the queue's device, with its content."),
    "DeviceTypes": ("Any", 0, "Any."), "SvmCapabilities": ("None", 0, "None."),
    "MapFlags": ("ReadWrite", 3, "The host reads and writes."),
}
# Names in Java that are not those of OpenCL without CL_.
OPENCL_IN_JAVA = {"CL_MIGRATE_MEM_OBJECT_HOST": "MIGRATE_HOST",
                  "CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED": "MIGRATE_CONTENT_UNDEFINED"}

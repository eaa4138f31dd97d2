// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// C++ layer over message.h. Header only, C++17; what the functions do is documented there.
#ifndef CLPOOL_MESSAGE_HPP
#define CLPOOL_MESSAGE_HPP

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "clpool/error.hpp"
#include "clpool/message.h"

namespace clpool {

/// Receives one message: its severity, one of CLPOOL_MESSAGE_…, and one line of text, valid during the call only. Called
/// without any lock held, from the thread in which the message arose, possibly from several at once. It may call the
/// library. What it throws is lost, where it is set by a file that has exceptions.
using MessageCallback = std::function<void(int32_t severity, std::string_view text)>;

namespace detail {

/// The callback that is set now. Never destroyed: messages may come until the process is gone.
class CLPOOL_ONE_FOR_ALL MessageReceiver {
 public:
  static MessageReceiver& get() {
    static MessageReceiver* const receiver = new MessageReceiver;
    return *receiver;
  }
  /// `receive` is what the library calls, with this object, as long as there is a callback.
  void set(std::shared_ptr<const MessageCallback> callback, clpool_message_callback receive) {
    const std::lock_guard<std::mutex> lock(mutex_);
    callback_.swap(callback);  // the former one goes after the lock, unless a call uses it
    clpool_set_message_callback(callback_ != nullptr ? receive : nullptr, this);
  }
  std::shared_ptr<const MessageCallback> current() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return callback_;
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const MessageCallback> callback_;
};

inline namespace CLPOOL_WITH_OR_WITHOUT_EXCEPTIONS {

inline void receive_message(void* user, int32_t severity, const char* text) {
  without_exceptions([&] {
    if (const auto callback = static_cast<MessageReceiver*>(user)->current()) {
      (*callback)(severity, text);
    }
  });
}

}  // namespace CLPOOL_WITH_OR_WITHOUT_EXCEPTIONS

}  // namespace detail

inline namespace CLPOOL_WITH_OR_WITHOUT_EXCEPTIONS {

/// Sets the receiver of all messages that no pool's own callback takes, in place of the one before; an empty function for
/// none. The one before is destroyed when its calls in flight have returned. Thread-safe.
inline void set_message_callback(MessageCallback callback) {
  detail::MessageReceiver::get().set(
      callback ? std::make_shared<const MessageCallback>(std::move(callback)) : nullptr,
      detail::receive_message);
}

}  // namespace CLPOOL_WITH_OR_WITHOUT_EXCEPTIONS

}  // namespace clpool

#endif

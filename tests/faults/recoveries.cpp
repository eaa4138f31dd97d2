#include "faults/recoveries.hpp"

namespace clpool::test {

bool may_recover(const std::string&, const Injection&) {
  return false;
}

bool is_other_status(const Injection&, clpool_status) {
  return false;
}

}  // namespace clpool::test

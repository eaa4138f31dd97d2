// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Reads logs through the library's own parser.
#include "logs.hpp"

#include <clpool/trace.h>
#include <zlib.h>

#include <cstdio>
#include <cstdlib>

#include "pools.hpp"

namespace clpool::benchmarks {

Log read_log(const std::string& name) {
  const std::string path = std::string(CLPOOL_DATA) + "/" + name + ".csv.gz";
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) {
    std::fprintf(stderr, "cannot open %s\n", path.c_str());
    std::exit(1);
  }
  std::string text;
  char buffer[1 << 16];
  for (int bytes = 0; (bytes = gzread(file, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(bytes));
  }
  gzclose(file);
  clpool_trace* trace = nullptr;
  require(clpool_trace_parse(text.data(), text.size(), path.c_str(), &trace), "log");
  clpool_trace_stats stats = CLPOOL_TRACE_STATS_INIT;
  require(clpool_trace_statistics(trace, &stats), "log");
  Log log{{}, stats.peak_live_blocks, stats.peak_live_bytes};
  for (std::uint64_t i = 0; i < stats.events; ++i) {
    clpool_trace_event event = CLPOOL_TRACE_EVENT_INIT;
    require(clpool_trace_event_at(trace, i, &event), "log");
    if (event.slot != CLPOOL_TRACE_NO_SLOT) {
      log.events.push_back({event.slot, event.action == CLPOOL_TRACE_ALLOCATE, event.size});
    }
  }
  clpool_trace_release(trace);
  return log;
}

}  // namespace clpool::benchmarks

// What ends a run from outside: Ctrl-C, a closed terminal, a batch system.
#pragma once

namespace kr::cli {

/// From now on a signal that ends this process first ends the programs it runs and removes the part
/// files it writes. To be called before other threads are started. Signals that the caller ignores
/// or blocks stay so. A file that grows beyond its limit is an error of writing, not a signal.
void clean_up_at_signals();

}  // namespace kr::cli

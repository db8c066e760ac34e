// What `kr coverage` says.
#pragma once

#include <string>

#include "coverage/suggest.hpp"
#include "report/report.hpp"

namespace kr {

/// `{"kr","dimension","runs":[{"id","source","format","engine","model","why","dimension",
/// "explained_ns","total_ns","share","names","unexplained_names","losses"}],"explained_ns",
/// "total_ns","share","unexplained":[{"name","instances","total_ns","rule","test","label",
/// "label_words","likeness","points","names":[{"name","operation","instances","total_ns"}],
/// "runs":[{"id","instances","total_ns","points"}],"place":{"file","line","byte","owner","insert"}
/// }],"groups_left","left_ns"}`. Shares are 0 to 1, null where there is no time; points are of a
/// hundred.
std::string coverage_json(const CompiledRules& rules, const TimeCoverage& coverage);

/// A row a group: `likeness,names,instances,total_ns,points,label,rule,file,line,owner,name,test`.
std::string coverage_csv(const CompiledRules& rules, const TimeCoverage& coverage);

/// For a terminal.
std::string coverage_text(const CompiledRules& rules, const TimeCoverage& coverage,
                          TableOptions options);

/// `part` of `whole` in percent with two decimals, rounded down: 100.00 is all of it. Of nothing,
/// all is explained.
std::string share_explained(int64_t part, int64_t whole);

}  // namespace kr

#include "trace/readers/block_rows.hpp"

namespace kr::trace {

void BlockRows::clear() {
  operations.clear();
  correlations.clear();
  details.clear();
  detail_correlations.clear();
  collectives.clear();
  launches.clear();
  ranges.clear();
  ops.clear();
  frames.clear();
  dropped.clear();
  made_up_streams = false;
  new_names.clear();
  new_tracks.clear();
  new_calls.clear();
  new_threads.clear();
  new_range_names.clear();
  new_details.clear();
  new_collective_calls.clear();
  new_ops.clear();
  new_frames.clear();
}

bool LocalIds::begin(BlockRows& out) {
  const bool forget = ids_ == nullptr || bytes_ > bytes_limit;
  if (forget) {
    *this = {};
    ids_ = std::make_shared<TraceIds>();
    names_ = std::make_shared<NameTable>();
  }
  out_ = &out;
  out.clear();
  out.ids = ids_;
  out.names = names_;
  return forget;
}

NameId LocalIds::name(std::string_view text, OperationKind kind) {
  const size_t known = names_->size();
  const NameId id = names_->add(text, kind);
  if (id.index == known) {
    bytes_ += text.size() + sizeof(OperationName);
    out_->new_names.push_back(names_->get(id));
  }
  return id;
}

NameId LocalIds::name(std::string_view text) {
  const size_t known = names_->size();
  const NameId id = name(text, OperationKind::kernel);
  if (id.index == known) out_->new_names.back().kind = operation_kind_of(text);
  return id;
}

TrackId LocalIds::track(int32_t device, int64_t stream, std::string_view device_name,
                        std::string_view member) {
  const auto place = static_cast<uint64_t>(device) * 8 + static_cast<uint64_t>(stream);
  SeenTrack& seen = seen_tracks_[place % seen_tracks_.size()];
  if (seen.id.valid() && seen.track.device == device && seen.track.stream == stream &&
      seen.track.device_name == device_name && seen.track.member == member) {
    return seen.id;
  }
  seen.track = {device, stream, std::string(device_name), std::string(member)};
  const TrackId next{static_cast<uint32_t>(tracks_.size())};
  const auto [known, added] = tracks_.try_emplace(seen.track, next);
  if (added) {
    bytes_ += sizeof(Track) + device_name.size() + member.size();
    out_->new_tracks.push_back(seen.track);
  }
  seen.id = known->second;
  return seen.id;
}

uint32_t LocalIds::call(std::string_view name, bool driver, std::string_view version,
                        std::string_view kernel) {
  key_.assign(driver ? "d" : "r").append(name).append(1, ' ').append(version);
  if (!kernel.empty()) key_.append(1, '\n').append(kernel);
  const size_t known = calls_.size();
  const uint32_t number = calls_.add(key_);
  if (number == known) {
    bytes_ += key_.size();
    out_->new_calls.push_back(
        {std::string(name), driver, std::string(version), std::string(kernel)});
  }
  return number;
}

uint32_t LocalIds::thread(std::string_view process, std::string_view thread, bool whole_process) {
  // The length says where the first ends, whatever is in it.
  key_ = std::to_string(process.size());
  key_.append(1, whole_process ? '*' : ' ').append(process).append(thread);
  const size_t known = threads_.size();
  const uint32_t number = threads_.add(key_);
  if (number == known) {
    bytes_ += key_.size();
    out_->new_threads.push_back({std::string(process), std::string(thread), whole_process});
  }
  return number;
}

uint32_t LocalIds::range_name(std::string_view name, const RangeText& text) {
  const size_t known = range_names_.size();
  const uint32_t number = range_names_.add(name, text);
  if (number == known) {
    bytes_ += name.size() + text.text.size() + text.domain.size();
    out_->new_range_names.push_back({std::string(name), text});
  }
  return number;
}

uint32_t LocalIds::frame(std::string_view name) {
  const size_t known = frames_.size();
  const uint32_t number = frames_.add(name);
  if (number == known) {
    bytes_ += name.size();
    out_->new_frames.emplace_back(name);
  }
  return number;
}

uint32_t LocalIds::detail(const OperationDetail& detail) {
  const size_t known = details_.size();
  const uint32_t number = details_.add(detail);
  if (number == known) {
    bytes_ += sizeof(OperationDetail);
    out_->new_details.push_back(detail);
  }
  return number;
}

uint32_t LocalIds::collective_call(const CollectiveCall& call) {
  const auto [known, added] =
      collective_calls_.try_emplace(call, static_cast<uint32_t>(collective_calls_.size()));
  if (added) {
    bytes_ += sizeof(CollectiveCall) + call.ranks.size();
    out_->new_collective_calls.push_back(call);
  }
  return known->second;
}

namespace {

void add_collectives(const BlockRows& rows, TraceIds& ids, TraceBuilder& out) {
  for (const CollectiveCall& call : rows.new_collective_calls) {
    ids.collective_calls.push_back(out.collective_call(call));
  }
  for (const CollectiveOperation& one : rows.collectives) {
    out.collective(out.operations() + one.operation, ids.collective_calls[one.call], one.sequence);
  }
}

void add_details(const BlockRows& rows, TraceIds& ids, TraceBuilder& out) {
  if (rows.details.empty()) return;
  for (const OperationDetail& detail : rows.new_details) {
    ids.details.push_back(out.details().distinct.add(detail));
  }
  GrowingArray<uint32_t> details;
  uint32_t* to = details.extend(rows.details.size());
  for (const uint32_t detail : rows.details) *to++ = ids.details[detail];
  out.add_details(details.begin(), rows.detail_correlations.begin(), rows.details.size());
}

void add_calls(const GrowingArray<OpCall>& calls, const std::vector<uint32_t>& numbers,
               const TraceIds& ids, HostOps& out) {
  OpCall* to = out.calls.extend(calls.size());
  for (const OpCall& one : calls) {
    *to++ = {one.start_ns, one.end_ns, numbers[one.op], ids.threads[one.thread]};
  }
}

void add_ops(const BlockRows& rows, TraceIds& ids, TraceBuilder& out) {
  for (const BlockRows::NewOp& one : rows.new_ops) ids.ops.push_back(out.op(one.key, one.op));
  for (const std::string& name : rows.new_frames) ids.frames.push_back(out.frame(name));
  if (!rows.ops.empty()) add_calls(rows.ops, ids.ops, ids, out.ops());
  if (!rows.frames.empty()) add_calls(rows.frames, ids.frames, ids, out.frames());
}

}  // namespace

void add_block(const BlockRows& rows, TraceBuilder& out) {
  TraceIds& ids = *rows.ids;
  for (const OperationName& name : rows.new_names) {
    ids.names.push_back(out.name(name.text, name.kind));
  }
  for (const Track& track : rows.new_tracks) ids.tracks.push_back(out.track(track));
  for (const HostCall& call : rows.new_calls) ids.calls.push_back(out.call(call));
  for (const HostThread& thread : rows.new_threads) ids.threads.push_back(out.thread(thread));
  for (const BlockRows::NewRangeName& one : rows.new_range_names) {
    ids.range_names.push_back(out.range_name(one.name, one.text));
  }
  add_collectives(rows, ids, out);
  add_ops(rows, ids, out);
  Operation* to = out.add(rows.operations.size());
  for (const Operation& operation : rows.operations) {
    *to++ = {operation.start_ns, operation.duration_ns, ids.names[operation.name.index],
             ids.tracks[operation.track.index]};
  }
  out.add_correlations(rows.correlations.begin(), rows.correlations.size());
  add_details(rows, ids, out);
  if (!rows.launches.empty()) {
    Launch* launch = out.host().launches.extend(rows.launches.size());
    for (const Launch& one : rows.launches) {
      *launch = one;
      launch->call = ids.calls[one.call];
      launch->thread = ids.threads[one.thread];
      ++launch;
    }
  }
  if (!rows.ranges.empty()) {
    HostRange* range = out.host().ranges.extend(rows.ranges.size());
    for (const HostRange& one : rows.ranges) {
      *range = one;
      range->name = ids.range_names[one.name];
      range->thread = ids.threads[one.thread];
      ++range;
    }
  }
  if (rows.made_up_streams) out.made_up_streams();
  for (const DroppedRecords& records : rows.dropped)
    out.add_dropped(records.what, records.first_offset, records.count);
}

}  // namespace kr::trace

"""A Perfetto trace as Perfetto's Trace Processor imports it: slices of tracks, their arguments, and flows.

Independent of kr: it knows what https://perfetto.dev/docs/reference/trace-packet-proto says of the fields that kr writes, and
refuses all others.
"""
import collections
import gzip
import struct
import zlib

VARINT, FIXED, BYTES = 0, 1, 2


def fields(data):
    """(number, value) of each field; bytes of texts and messages."""
    at, end = 0, len(data)

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value & (1 << 64) - 1

    while at < end:
        tag = varint()
        kind = tag & 7
        if kind == VARINT:
            yield tag >> 3, varint()
        elif kind == FIXED:
            yield tag >> 3, struct.unpack_from("<Q", data, at)[0]
            at += 8
        elif kind == BYTES:
            size = varint()
            assert at + size <= end, "a field is cut off"
            yield tag >> 3, data[at:at + size]
            at += size
        else:
            raise ValueError(f"wire type {kind}")


def message(data, known):
    """A message whose fields are all in `known` (number to name), each at most once."""
    found = {}
    for number, value in fields(data):
        name = known[number]
        assert name not in found, f"{name} stands twice"
        found[name] = value
    return found


def signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


class Slice:
    def __init__(self, track, start, category, name, arguments):
        self.track, self.start, self.category, self.name, self.arguments = track, start, category, name, arguments
        self.end, self.depth, self.parent = None, 0, None


class Trace:
    """`tracks`: by uuid, what its descriptor says. `slices`; `flows`: pairs of slices; `attributes`; `utc_ns`."""

    def __init__(self, data):
        if data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
        self.tracks, self.slices, self.flows, self.attributes = {}, [], [], {}
        self.utc_ns = None
        self.packed_bytes, self.raw_bytes = len(data), 0
        self._sequences = collections.defaultdict(lambda: None)
        self._events = []  # (time, number, ...)
        for number, packet in fields(data):
            assert number == 1, "not a packet"
            self._packet(packet)
        self._nest()

    def _packet(self, data):
        found = message(data, {6: "snapshot", 8: "time", 10: "sequence", 11: "event", 12: "interned", 13: "flags",
                               50: "packed", 58: "clock", 59: "defaults", 60: "track", 126: "attributes"})
        if "packed" in found:
            assert set(found) == {"packed"}
            raw = zlib.decompress(found["packed"])
            assert len(raw) < 512 << 10, "Perfetto's packed packets are below 512 KiB"
            self.raw_bytes += len(raw)
            for number, packet in fields(raw):
                assert number == 1
                self._packet(packet)
            return
        assert 0 < found["sequence"] < 1 << 32
        assert sum(key in found for key in ("snapshot", "event", "track", "attributes")) <= 1, "one thing a packet"
        if found.get("flags", 0) & 1:
            self._sequences[found["sequence"]] = {"clock": 6, "track": 0, "clocks": {}, 1: {}, 2: {}, 3: {}, 29: {}}
        state = self._sequences[found["sequence"]]
        assert not found.get("flags", 0) & 2 or state is not None
        if "attributes" in found:
            for _, one in fields(found["attributes"]):
                one = message(one, {1: "key", 2: "number", 3: "text"})
                value = signed(one["number"]) if "number" in one else one["text"].decode()
                self.attributes[one["key"].decode()] = value
        if "defaults" in found:
            defaults = message(found["defaults"], {11: "event", 58: "clock"})
            state["clock"], state["track"] = defaults["clock"], message(defaults["event"], {11: "track"})["track"]
        if "snapshot" in found:
            clocks = [message(one, {1: "id", 2: "time", 3: "incremental"}) for _, one in fields(found["snapshot"])]
            times = {one["id"]: one["time"] for one in clocks}
            # What to add to a time, and whether it then counts from there.
            state["clocks"] = {one["id"]: [times[6] - one["time"], one.get("incremental", 0)] for one in clocks}
            if 1 in times:
                self.utc_ns = times[1] - times[6]
        for table, entry in fields(found.get("interned", b"")):
            entry = message(entry, {1: "id", 2: "text"})
            assert entry["id"] > 0 and entry["id"] not in state[table]
            state[table][entry["id"]] = entry["text"].decode()
        if "track" in found:
            one = message(found["track"], {1: "uuid", 2: "name", 3: "process", 4: "thread", 5: "parent", 11: "order",
                                           12: "rank"})
            assert one["uuid"] not in self.tracks, "a track is described twice"
            assert one.get("parent") is None or one["parent"] in self.tracks
            if "process" in one:
                one["process"] = message(one["process"], {1: "pid", 6: "name"})
            if "thread" in one:
                one["thread"] = message(one["thread"], {1: "pid", 2: "tid", 5: "name"})
            self.tracks[one["uuid"]] = one
        if "event" in found:
            self._event(found, state)

    def _event(self, packet, state):
        event = collections.defaultdict(list)
        for number, value in fields(packet["event"]):
            event[{3: "category", 4: "argument", 9: "type", 10: "name", 11: "track", 47: "flow", 48: "last_flow"}[number]].append(value)
        clock = state["clocks"][packet.get("clock", state["clock"])]
        time = packet["time"] + clock[0]
        if clock[1]:
            clock[0] = time
        track = event["track"][0] if event["track"] else state["track"]
        assert track in self.tracks, "an event before its track"
        if event["type"] == [2]:
            assert not any(event[key] for key in event if key not in ("type", "track"))
            self._events.append((time, None, track, [], []))
            return
        assert event["type"] == [1] and packet["flags"] & 2
        one = Slice(track, time, state[1][event["category"][0]], state[2][event["name"][0]],
                    dict(self._argument(value, state) for value in event["argument"]))
        self._events.append((time, one, track, event["flow"], event["last_flow"]))

    def _argument(self, data, state):
        name, value = None, None
        for number, one in fields(data):
            if number == 1:
                name = state[3][one]
            elif number == 4:
                value = signed(one)
            elif number == 17:
                value = state[29][one]
            elif number == 11:
                key, text = self._argument(one, state)
                value = {**(value or {}), key: text}
            elif number == 12:
                value = (value or []) + [self._argument(one, state)[1]]
            else:
                raise ValueError(f"field {number} of an argument")
        return name, value

    def _nest(self):
        """Trace Processor sorts by time, and keeps the order of the file among equals. An end closes what began last."""
        open_slices, flows = collections.defaultdict(list), {}
        for time, one, track, begins, ends in sorted(self._events, key=lambda event: event[0]):
            stack = open_slices[track]
            if one is None:
                assert stack, "an end without a begin"
                stack.pop().end = time
                continue
            one.depth, one.parent = len(stack), stack[-1] if stack else None
            stack.append(one)
            self.slices.append(one)
            for flow in begins:
                assert flow not in flows, "a flow begins twice"
                flows[flow] = one
            for flow in ends:
                self.flows.append((flows.pop(flow, None), one))
        assert not any(open_slices.values()), "a slice does not end"
        assert not flows, "a flow does not end"

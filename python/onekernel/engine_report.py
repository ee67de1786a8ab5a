"""What a running engine tells of itself, on standard output."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

from .hello import Hello, Statistics


def write_engine(hello: Hello, statistics: Statistics, as_json: bool) -> None:
    """Write hello and statistics for people, or as one JSON document."""
    if as_json:
        json.dump({**asdict(hello), "statistics": asdict(statistics)}, sys.stdout, indent=1)
        sys.stdout.write("\n")
        return
    limits, done = hello.limits, statistics
    print(f"onekernel-engine {hello.version}")
    print(f"kernels          {', '.join(hello.kernels)} (default: {hello.default_kernel})")
    print(f"fee              {hello.default_fee!r} % per closed trade where the frame carries none")
    print(f"limits           {limits.max_frame_bytes} bytes a frame, {limits.max_combos} combos a request,")
    print(f"                 {limits.max_connections} connections, {limits.max_series} series of")
    print(f"                 {limits.max_series_bytes} bytes in all, {limits.max_live_sessions} live sessions")
    print(f"up               {done.uptime_ns / 1e9:.1f} s, {done.compute_ns / 1e9:.3f} s of it computing")
    print(f"requests         {done.requests}, {done.errors} of them refused")
    print(f"bytes            {done.bytes_in} in, {done.bytes_out} out")
    print(f"now              {done.connections} connections, {done.series} series of {done.series_bytes} bytes,")
    print(f"                 {done.live_sessions} live sessions of {done.live_bytes} bytes")

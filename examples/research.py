"""Research in an engine that live trading shares: sweep a grid, look at the best combos, hand them over.

    python examples/research.py chosen.json [URL]

URL: a running engine, such as unix:/tmp/onekernel.sock. Without one an engine is started for this script alone. The
cells (# %%) can be run one after another in an editor that knows them.
"""

# %% Where the engine is
import json
import sys
from pathlib import Path

import numpy as np
import onekernel as ok

FEE = 0.09  # percent per closed trade, round trip
SERIES = "example-prices"

chosen_file, *url = sys.argv[1:] or ["chosen.json"]
engine = ok.connect(url[0]) if url else ok.spawn()

# %% Prices: whole ticks of 1/64, a random walk over a wave of 200 bars; one's own come from ok.readers
bars = np.arange(20_000)
walk = np.cumsum(np.random.default_rng(20240607).integers(-32, 33, size=len(bars)))
close = (64 * 1_000 + walk + 4 * np.abs(bars % 200 - 100)) / 64

# Shared: any client finds the series by its name, and it stays in the engine when this script ends.
series = engine.put(SERIES, close, shared=True, replace=True)

# %% Sweep: only the parameters cross
grid = ok.hma_grid(6, 400, 80)
result = engine.sweep(series, grid, fee=FEE)

best = np.argsort(-result.pnl, kind="stable")[:3]  # stable: equal pnl keep the order of the grid
combos = grid[best]

# %% Their trades and equity: kept for the chosen ones only, at 48 bytes a trade
made = engine.trades(series, combos, fee=FEE)
for combo, windows in enumerate(combos.tolist()):
    trades, equity = made.of(combo), made.equity(combo)
    drawdown = np.max(np.maximum.accumulate(equity) - equity)
    won = np.mean(trades["pnl"] > 0) if len(trades) else 0.0
    print(f"windows {windows}: {len(trades)} trades, {won:.0%} won")
    print(f"  pnl {equity[-1]:.2f}, largest drawdown {drawdown:.2f} percentage points")
    for trade in trades[-3:]:
        side = "long" if trade["position"] > 0 else "short"
        print(f"  {side} from bar {trade['entry_bar']} to {trade['exit_bar']}: {trade['pnl']:+.3f}")

# %% Hand over. JSON keeps every float64: its text is the shortest that reads back as the same bits
chosen = {
    "series": SERIES,
    "fee": FEE,
    "combos": combos.tolist(),
    "research": {"bars": len(bars), "pnl": result.pnl[best].tolist(), "trades": result.trades[best].tolist()},
}
Path(chosen_file).write_text(json.dumps(chosen, indent=1) + "\n")
print(f"wrote {chosen_file}; the engine is at {engine.url}")

# %%
engine.close()

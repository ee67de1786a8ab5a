"use strict";
// The arithmetic of calculator.py, operation by operation, so that both give the same doubles.
const calculator = (() => {
  const RAW = { name: "raw", us_per_mb: 0, size: 1 };

  const parts = (work, curve, encoding) => {
    const megabytes = work.n_bytes / 1e6;
    const carry = megabytes * (curve.us_per_mb - curve.encoding_us_per_mb);
    return [carry * encoding.size, megabytes * (encoding.us_per_mb + curve.encoding_us_per_mb)];
  };

  const crossing = (work, curve, encoding) => {
    const [transfer, encode] = parts(work, curve, encoding);
    return curve.floor_us + transfer + encode;
  };

  const alternatives = (curve, found) =>
    curve.kind === "after_compute" ? [] : found.filter((other) => other.kind !== "after_compute");

  const unencoded = (curve) => ({
    ...curve,
    us_per_mb: curve.us_per_mb - curve.encoding_us_per_mb,
    encoding_us_per_mb: 0,
  });

  const changes = (work, curve, encoding, found) => {
    const [transfer, encode] = parts(work, curve, encoding);
    const each = curve.floor_us + transfer + encode;
    const boundary = work.calls * each;
    const compute = work.calls * work.compute_us;
    const best = Math.min(...[curve, ...alternatives(curve, found)].map((other) => crossing(work, other, encoding)));
    const saved = {
      batch: (work.calls - 1) * each,
      preload: (work.calls - 1) * (transfer + encode),
      binary: work.calls * (each - crossing(work, unencoded(curve), RAW)),
      transport: work.calls * (each - best),
    };
    return Object.entries(saved)
      .filter(([, us]) => us > 0)
      .map(([name, us]) => ({ name, saves_us: us, share: (boundary - us) / (boundary - us + compute) }))
      .sort((a, b) => b.saves_us - a.saves_us);
  };

  const answer = (work, curve, asked, found, shares) => {
    const encoding = curve.kind === "peer" ? RAW : asked;
    const [transfer, encode] = parts(work, curve, encoding);
    const each = curve.floor_us + transfer + encode;
    const boundary = work.calls * each;
    const compute = work.calls * work.compute_us;
    return {
      transfer_us: transfer,
      encoding_us: encode,
      crossing_us: each,
      boundary_us: boundary,
      compute_us: compute,
      share: boundary / (boundary + compute),
      granularity: work.compute_us / curve.floor_us,
      break_even_us: shares.map((share) => ((1 - share) / share) * each),
      split_into: shares.map((share) => ((share / (1 - share)) * compute) / each),
      changes: changes(work, curve, encoding, found),
    };
  };

  const best_curve = (work, curve, encoding, found) =>
    [curve, ...alternatives(curve, found)].reduce((best, other) =>
      crossing(work, other, encoding) < crossing(work, best, encoding) ? other : best,
    );

  return { answer, best_curve };
})();

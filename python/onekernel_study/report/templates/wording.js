"use strict";
// Numbers in words, as wording.py writes them.
const wording = (() => {
  const decimals = (size) => (size >= 100 ? 0 : size >= 10 ? 1 : 2);
  const grouped = (value, places) =>
    value.toLocaleString("en-US", { minimumFractionDigits: places, maximumFractionDigits: places });
  const seconds = (value) => {
    const size = Math.abs(value);
    if (size >= 1) return `${value.toFixed(2)} s`;
    if (size >= 1e-3) return `${(value * 1e3).toFixed(decimals(size * 1e3))} ms`;
    return `${(value * 1e6).toFixed(decimals(size * 1e6))} us`;
  };
  const microseconds = (value) => seconds(value / 1e6);
  const percent = (share) => {
    const size = Math.abs(share) * 100;
    return `${(share * 100).toFixed(size >= 1 ? decimals(size) : 2)} %`;
  };
  const count = (value) => grouped(value, value >= 10 || Number.isInteger(value) ? 0 : 1);
  const bytes = (value) => {
    const [scale, unit] = value >= 1e6 ? [1e6, "MB"] : value >= 1e3 ? [1e3, "kB"] : [1, "B"];
    return `${Number((value / scale).toPrecision(4))} ${unit}`;
  };
  return { seconds, microseconds, percent, count, bytes };
})();

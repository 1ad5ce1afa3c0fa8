const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const

/** So many bytes as people say it: `1.4 GiB`. */
export const toSize = (bytes: number): string => {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** power
  return `${value.toLocaleString('en', { maximumFractionDigits: value < 10 && power > 0 ? 1 : 0 })} ${units[power]}`
}

/** How long something takes or has lasted: `3 min`. */
export const toSpan = (seconds: number): string => {
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`
  return seconds < 129_600 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`
}

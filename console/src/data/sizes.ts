const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const

/** So many bytes as people say it: `1.4 GB`. */
export const toSize = (bytes: number): string => {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** power
  return `${value.toLocaleString('en', { maximumFractionDigits: value < 10 && power > 0 ? 1 : 0 })} ${units[power]}`
}

/** How long something takes or has lasted: `3 min`. */
export const toSpan = (seconds: number): string => {
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`
  return seconds < 129_600 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`
}

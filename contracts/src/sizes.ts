const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const

/** So many bytes as people say it: `312 KiB`, `1.4 GiB`. */
export const toSize = (bytes: number): string => {
  const isBelow = (power: number) => bytes / 1024 ** power < 999.5
  const found = units.findIndex((_unit, power) => isBelow(power))
  const power = found === -1 ? units.length - 1 : found
  const value = bytes / 1024 ** power
  return `${value.toLocaleString('en', { maximumFractionDigits: value < 9.95 && power > 0 ? 1 : 0 })} ${units[power]}`
}

/** So many bytes as people say it: `312 kB`, `4.1 MB`. */
export const toSize = (bytes: number): string => {
  if (bytes < 1_000) return `${bytes} bytes`
  // What would be rounded up to 1,000 kB is a megabyte.
  return bytes < 999_500 ? `${(bytes / 1_000).toFixed(0)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

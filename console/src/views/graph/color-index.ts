/** The number of colors for kinds. More kinds share colors; the table and the labels distinguish them. */
export const kindColors = 8

/** The color of a kind, by its index among all shown kinds. */
export const toColorIndex = (kinds: readonly string[], kind: string): number =>
  Math.max(0, kinds.indexOf(kind)) % kindColors

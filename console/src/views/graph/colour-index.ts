/** How many colours there are for kinds. What more kinds there are share them; the table and the labels tell them apart. */
export const kindColours = 8

/** Which colour a kind has: by its place in the order of all kinds that are shown. */
export const toColourIndex = (kinds: readonly string[], kind: string): number =>
  Math.max(0, kinds.indexOf(kind)) % kindColours

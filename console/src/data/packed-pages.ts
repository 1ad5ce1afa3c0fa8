// A list of a hundred thousand rows, loaded page by page. As objects they would occupy the garbage collector longer than a frame,
// so each page is stored as JSON text and parsed when one of its rows is read.

/** The rows of one page, as JSON. */
export type Packed = { readonly text: string; readonly count: number }

/** The number of pages that are kept as objects: the visible ones, and some on either side. */
const maxUnpacked = 6

export const pack = (rows: readonly unknown[]): Packed => ({ text: JSON.stringify(rows), count: rows.length })

/** Reads packed pages. The rows of recently read pages stay the same objects. */
export const createUnpacking = <Row>() => {
  const unpacked = new Map<Packed, readonly Row[]>()
  const unpack = (page: Packed): readonly Row[] => {
    const rows = unpacked.get(page) ?? (JSON.parse(page.text) as Row[])
    unpacked.delete(page)
    unpacked.set(page, rows)
    const [first] = unpacked.keys()
    if (unpacked.size > maxUnpacked && first) unpacked.delete(first)
    return rows
  }
  return {
    unpack,
    /** A row of the pages that are kept as objects. */
    find: (isRequested: (row: Row) => boolean): Row | undefined => {
      for (const rows of unpacked.values()) {
        const row = rows.find(isRequested)
        if (row !== undefined) return row
      }
      return undefined
    },
  }
}

/** The rows of all pages, in order. */
export const joinPages = <Row>(
  pages: readonly Packed[],
  unpack: (page: Packed) => readonly Row[],
): { readonly length: number; at(index: number): Row | undefined } => {
  const ends: number[] = []
  for (const { count } of pages) ends.push((ends.at(-1) ?? 0) + count)
  return {
    length: ends.at(-1) ?? 0,
    at: (index) => {
      const at = ends.findIndex((end) => index < end)
      const page = pages[at]
      return index < 0 || page === undefined ? undefined : unpack(page)[index - ((ends[at] ?? 0) - page.count)]
    },
  }
}

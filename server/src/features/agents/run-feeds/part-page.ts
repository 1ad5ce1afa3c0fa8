/** A part as readers get it: its number, and its JSON text. */
export type NumberedPart = { number: number; part: string }

/**
 * Parts after a number, up to another. `hasEnded`: the run had ended when it was read. `version`: the number of news of the run
 * before that.
 */
export type PartPage = {
  after: number
  upTo: number
  /** All, and those that concern who begins where the page does. */
  all: readonly NumberedPart[]
  parts: readonly NumberedPart[]
  hasMore: boolean
  hasEnded: boolean
  version: number
}

/** True if a part withdraws an attempt. */
export const isRestart = (part: string): boolean => part.startsWith('{"type":"data-restart"')

/** The first of the parts that a part takes back; undefined where it takes back none. */
const findWithdrawn = ({ part }: NumberedPart): number | undefined =>
  isRestart(part) ? Number(JSON.parse(part).data.from) : undefined

/** The first of all parts that a page takes back. */
export const findFirstWithdrawn = ({ all }: PartPage): number | undefined => {
  const numbers = all.flatMap((part) => findWithdrawn(part) ?? [])
  return numbers.length > 0 ? Math.min(...numbers) : undefined
}

/**
 * True if a part concerns a reader at this number. Only readers who have some of a withdrawn attempt learn of the withdrawal: to
 * others its parts never existed.
 */
const isFor = (after: number, part: NumberedPart): boolean => (findWithdrawn(part) ?? 0) <= after

/** A page of what was read. */
export const toPage = (page: Omit<PartPage, 'parts'>): PartPage => ({
  ...page,
  parts: page.all.filter((part) => isFor(page.after, part)),
})

/** The rest of a page for a reader who has some of it. All who begin where the page does share one list. */
export const cutPage = (page: PartPage, after: number): readonly NumberedPart[] =>
  after === page.after ? page.parts : page.all.filter((one) => one.number > after && isFor(after, one))

/** A part as readers get it: its number, and its JSON text. */
export type NumberedPart = { number: number; part: string }

/**
 * Parts after a number, up to another. `hasEnded`: the run had when it was read. `version`: how often the run had told of news
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

/** Whether a part takes an attempt back. */
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
 * Whether a part is for who has read up to a number. That an attempt was taken back is told to those alone who have some of it:
 * to others its parts never were.
 */
const isFor = (after: number, part: NumberedPart): boolean => (findWithdrawn(part) ?? 0) <= after

/** A page of what was read. */
export const toPage = (page: Omit<PartPage, 'parts'>): PartPage => ({
  ...page,
  parts: page.all.filter((part) => isFor(page.after, part)),
})

/** What is left of a page for who has read some of it. The same list for all who begin where the page does. */
export const cutPage = (page: PartPage, after: number): readonly NumberedPart[] =>
  after === page.after ? page.parts : page.all.filter((one) => one.number > after && isFor(after, one))

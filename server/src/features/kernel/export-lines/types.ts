import type { RawBuilder } from 'kysely'

/** The start of a page (the key of the previous line), its maximum number of lines, and whether ended versions count. */
export type LinePage = { brainId: number; after: readonly string[] | undefined; take: number; history: boolean }

/** A select of `key` (a text array) and `line`, in the order of the key, for a page. */
export type SelectLines = (page: LinePage) => RawBuilder<unknown>

import type { RawBuilder } from 'kysely'

/** Where a page begins (the key of the line before it), how many lines it may have, and whether ended versions count. */
export type LinePage = { brainId: number; after: readonly string[] | undefined; take: number; history: boolean }

/** A select of `key` (a text array) and `line`, in the order of the key, for a page. */
export type SelectLines = (page: LinePage) => RawBuilder<unknown>

import type { Moved } from '@noema/contracts/receipts.ts'
import { thingType } from '@noema/contracts/search.ts'

/** A record, statement or document by its id. */
export type ThingRef = Moved['ref']
export type Span = { start: number; end: number }

/** Which type a tab of a Brain shows one thing of. */
export const thingTypeOf = (tab: string): ThingRef['type'] | undefined => thingType.options.find((type) => type === tab)

const brainPath = (handle: string, query: Record<string, string>): string =>
  `/brains/${handle}?${new URLSearchParams(query)}`

/** Where a thing is shown: as it is now, or as it stood at a state; a document at a stretch of its text. */
export const thingPath = (
  handle: string,
  { type, id }: ThingRef,
  { asOf, span }: { asOf?: number; span?: Span | undefined } = {},
): string =>
  brainPath(handle, {
    tab: type,
    id,
    ...(asOf !== undefined && { asOf: String(asOf) }),
    ...(span && { span: `${span.start}-${span.end}` }),
  })

/** The stretch that an address names, if it names one. */
export const spanIn = (search: URLSearchParams): Span | undefined => {
  const [, start, end] = /^(\d{1,9})-(\d{1,9})$/.exec(search.get('span') ?? '') ?? []
  return start === undefined || end === undefined ? undefined : { start: Number(start), end: Number(end) }
}

export const receiptPath = (handle: string, id: string): string => brainPath(handle, { tab: 'receipt', id })

/** The receipts of what a thing was served by. */
export const receiptsPath = (handle: string, { type, id }: ThingRef): string =>
  brainPath(handle, { tab: 'receipts', [type]: id })

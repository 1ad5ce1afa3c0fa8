import type { Moved } from '@noema/contracts/receipts.ts'

/** A record, statement or document by its id. */
export type ItemRef = Moved['ref']
export type Span = { start: number; end: number }

export const itemTypes = ['record', 'statement', 'document'] as const satisfies readonly ItemRef['type'][]

/** The type of item for a name in a URL. */
export const toItemType = (name: string): ItemRef['type'] | undefined => itemTypes.find((type) => type === name)

const brainPath = (handle: string, page: string, query: Record<string, string> = {}): string => {
  const search = new URLSearchParams(query).toString()
  return `/brains/${handle}/${page}${search && `?${search}`}`
}

const pageNames = { record: 'records', statement: 'statements', document: 'documents' } as const

/** The page of an item: current, or as of a state; a document at a range of its text. */
export const itemPath = (
  handle: string,
  { type, id }: ItemRef,
  { asOf, span }: { asOf?: number; span?: Span | undefined } = {},
): string =>
  brainPath(handle, `${pageNames[type]}/${encodeURIComponent(id)}`, {
    ...(asOf !== undefined && { asOf: String(asOf) }),
    ...(span && { span: `${span.start}-${span.end}` }),
  })

/** The range in a URL such as `12-40`, if it has one. */
export const readSpan = (text: string | undefined): Span | undefined => {
  const [, start, end] = /^(\d{1,9})-(\d{1,9})$/.exec(text ?? '') ?? []
  return start === undefined || end === undefined ? undefined : { start: Number(start), end: Number(end) }
}

export const receiptPath = (handle: string, id: string): string =>
  brainPath(handle, `receipts/${encodeURIComponent(id)}`)

/** The receipts of the reads that served an item. */
export const receiptsPath = (handle: string, { type, id }: ItemRef): string =>
  brainPath(handle, 'receipts', { [type]: id })

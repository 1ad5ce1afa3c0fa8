import { isObject } from '@noema/contracts/json.ts'

// Text that is not saved yet. It lives as long as its tab: also while the person opens other pages, reloads, or signs in again.
// A browser that others use next keeps none of it.

export type DocumentValues = {
  id: string
  title: string
  contentType: string
  source: string
  /** In the person's own time; empty for never. */
  expiresAt: string
  text: string
  note: string
}

/** Typed text, and the version that it is based on: null for a new document. */
export type Unsaved = { values: DocumentValues; version: number | null; at: string }

/** Names the person, and the document whose text it is: without an id, a new one. */
export type UnsavedKey = { userId: string; organization: string; handle: string; id: string | undefined }

const toName = ({ userId, organization, handle, id }: UnsavedKey): string =>
  `noema-unsaved ${JSON.stringify([userId, organization, handle, id ?? null])}`

const names = ['id', 'title', 'contentType', 'source', 'expiresAt', 'text', 'note'] as const

const readValues = (value: unknown): DocumentValues | undefined => {
  if (!isObject(value)) return undefined
  const texts = names.map((name) => [name, value[name] ?? ''] as const)
  return texts.every(([, text]) => typeof text === 'string') ? (Object.fromEntries(texts) as DocumentValues) : undefined
}

/** The unsaved text of a document, if this tab has one. */
export const readUnsaved = (key: UnsavedKey): Unsaved | undefined => {
  try {
    const unsaved: unknown = JSON.parse(sessionStorage.getItem(toName(key)) ?? 'null')
    if (!isObject(unsaved) || typeof unsaved.at !== 'string') return undefined
    const values = readValues(unsaved.values)
    const version = typeof unsaved.version === 'number' ? unsaved.version : null
    return values && { values, version, at: unsaved.at }
  } catch {
    return undefined
  }
}

/** Keeps it. A text beyond the browser's room is kept by the open page alone. */
export const keepUnsaved = (key: UnsavedKey, { values, version }: Omit<Unsaved, 'at'>): void => {
  try {
    sessionStorage.setItem(toName(key), JSON.stringify({ values, version, at: new Date().toISOString() }))
  } catch {
    dropUnsaved(key)
  }
}

export const dropUnsaved = (key: UnsavedKey): void => {
  try {
    sessionStorage.removeItem(toName(key))
  } catch {
    // Storage is disabled: there is none.
  }
}

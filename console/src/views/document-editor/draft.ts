import { isObject } from '@noema/contracts/json.ts'

// Text that is not saved yet. It lives as long as its tab: also while the person opens other pages, reloads, or signs in again.
// A browser that others use next keeps none of it.

export type DocumentValues = {
  id: string
  title: string
  contentType: string
  source: string
  text: string
  note: string
}

/** What was typed, and the version that it was based on: null for a new document. */
export type Draft = { values: DocumentValues; version: number | null; at: string }

/** Whose draft it is, and of which document: without an id, of a new one. */
export type DraftOf = { userId: string; organization: string; handle: string; id: string | undefined }

const toKey = ({ userId, organization, handle, id }: DraftOf): string =>
  `noema-draft ${JSON.stringify([userId, organization, handle, id ?? null])}`

const names = ['id', 'title', 'contentType', 'source', 'text', 'note'] as const

const readValues = (value: unknown): DocumentValues | undefined => {
  if (!isObject(value)) return undefined
  const texts = names.map((name) => [name, value[name]] as const)
  return texts.every(([, text]) => typeof text === 'string') ? (Object.fromEntries(texts) as DocumentValues) : undefined
}

/** The draft of a document, if this tab has one. */
export const readDraft = (of: DraftOf): Draft | undefined => {
  try {
    const draft: unknown = JSON.parse(sessionStorage.getItem(toKey(of)) ?? 'null')
    if (!isObject(draft) || typeof draft.at !== 'string') return undefined
    const values = readValues(draft.values)
    const version = typeof draft.version === 'number' ? draft.version : null
    return values && { values, version, at: draft.at }
  } catch {
    return undefined
  }
}

/** Keeps a draft. A text beyond the browser's room is kept by the open page alone. */
export const keepDraft = (of: DraftOf, { values, version }: Omit<Draft, 'at'>): void => {
  try {
    sessionStorage.setItem(toKey(of), JSON.stringify({ values, version, at: new Date().toISOString() }))
  } catch {
    dropDraft(of)
  }
}

export const dropDraft = (of: DraftOf): void => {
  try {
    sessionStorage.removeItem(toKey(of))
  } catch {
    // Storage is disabled: there is none.
  }
}

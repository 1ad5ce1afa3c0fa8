import type { DocumentWithText } from '../../data/documents.ts'
import { toIso, toLocal } from '../../local-time.ts'
import { findHeading } from '../documents/read-file.ts'
import type { DocumentValues } from './unsaved.ts'
import type { DocumentContent } from './use-document-edit.ts'

export const markdown = 'text/markdown'

/** The content types to choose from; a document keeps another one that it has. */
const contentTypes = [
  { value: markdown, name: 'Markdown' },
  { value: 'text/plain', name: 'Plain text' },
  { value: 'text/html', name: 'HTML' },
  { value: 'text/csv', name: 'CSV' },
  { value: 'application/json', name: 'JSON' },
]

/** The content types to choose from, with the one that the document has. */
export const listContentTypes = (current: string) =>
  contentTypes.some(({ value }) => value === current)
    ? contentTypes
    : [...contentTypes, { value: current, name: current }]

export const newValues = (source: string | undefined): DocumentValues => ({
  ...{ id: '', title: '', contentType: markdown, source: source ?? '', expiresAt: '', text: '', note: '' },
})

/** The values of the form for a document. */
export const toValues = (document: DocumentWithText): DocumentValues => {
  const { id, title, contentType, source, expiresAt, text } = document
  return {
    ...{
      id,
      title: title ?? '',
      contentType,
      source: source?.name ?? '',
      expiresAt: toLocal(expiresAt),
      text,
      note: '',
    },
  }
}

/** True if something was typed. */
export const isSameValues = (one: DocumentValues, other: DocumentValues): boolean =>
  Object.entries(one).every(([name, value]) => value === other[name as keyof DocumentValues])

/** The same source keeps its address; another name is another source. */
const toSource = (name: string, opened: DocumentWithText | undefined): DocumentContent['source'] => {
  if (name === '') return undefined
  return opened?.source?.name === name ? opened.source : { name }
}

/** The time of the form, and exactly the one that was opened where the person left it. */
const toExpiry = (local: string, opened: DocumentWithText | undefined): string | undefined =>
  local === toLocal(opened?.expiresAt) ? opened?.expiresAt : toIso(local)

/** The content to save. Parts that the form does not show stay as they were opened. */
export const toContent = (values: DocumentValues, opened: DocumentWithText | undefined): DocumentContent => {
  const { contentType, text } = values
  const [id, title, source] = [values.id.trim(), values.title.trim(), toSource(values.source.trim(), opened)]
  const expiresAt = toExpiry(values.expiresAt, opened)
  const shownTitle = title || (contentType === markdown ? findHeading(text) : undefined)
  return {
    ...{ text, contentType },
    ...(id !== '' && { id }),
    ...(shownTitle && { title: shownTitle }),
    ...(source && { source }),
    ...(expiresAt && { expiresAt }),
    ...(opened && Object.keys(opened.metadata).length > 0 && { metadata: opened.metadata }),
    ...(opened?.occurredAt && { occurredAt: opened.occurredAt }),
    ...(opened?.sequence && { sequence: opened.sequence }),
  }
}

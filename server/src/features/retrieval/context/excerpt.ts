import type { ContextItem } from '@noema/contracts/context.ts'
import { showRecord } from '../../knowledge/content-text/record-text.ts'
import type { Hit } from '../search/results.ts'
import type { FrameNote } from './frame.ts'

/** The part of a hit that a context shows. */
export type Excerpt = Pick<ContextItem, 'type' | 'id' | 'kind' | 'version' | 'title' | 'score' | 'evidence'> & {
  /** The searched Brain that it is from, by its place among all. */
  owner?: number
  /** The notes in its first line, after its address. */
  about: readonly FrameNote[]
  details: Pick<ContextItem, 'spans' | 'pages' | 'validFrom' | 'validTo'>
  text: string
  /** Its position in a conversation or the like: adjacent excerpts are shown in order. */
  sequence: { id: string; position: number } | null
}

const toTimeNote = (label: string, time: string | null): FrameNote[] =>
  time === null ? [] : [{ label: `${label} ${time}` }]

/** The note that names the pages that are shown, if there are any. */
export const toPageNote = (pages: readonly number[]): FrameNote[] =>
  pages.length === 0 ? [] : [{ label: `${pages.length === 1 ? 'page' : 'pages'} ${pages.join(' and ')}` }]

/** The maximum of characters of a record that is shown whole; of a longer one the found passage is shown. */
const maxRecordLength = 8_000

const describeHit = (hit: Hit): Pick<Excerpt, 'about' | 'details' | 'text' | 'sequence'> => {
  const { item, text, starts, ends, page, title } = hit
  switch (item.type) {
    case 'record': {
      const whole = showRecord(item.record)
      const { kind, slug } = item.record
      return {
        about: [{ label: 'kind', quote: kind }, ...(slug === null ? [] : [{ label: 'slug', quote: slug }])],
        details: {},
        text: whole.length > maxRecordLength || whole === '' ? text : whole,
        sequence: null,
      }
    }
    case 'statement': {
      const { subject, validFrom, validTo, confidence } = item.statement
      return {
        about: [
          { label: 'about record', quote: subject.id },
          ...toTimeNote('valid from', validFrom),
          ...toTimeNote('valid until', validTo),
          ...(confidence === null ? [] : [{ label: `confidence ${confidence}` }]),
        ],
        details: { validFrom, validTo },
        text,
        sequence: null,
      }
    }
    case 'document': {
      const { source, artifact, occurredAt, sequence } = item.document
      const pages = page === null ? [] : [page]
      return {
        about: [
          { quote: title },
          ...(source === null ? [] : [{ label: 'source', quote: source.name }]),
          ...(artifact ? [{ label: 'file', quote: artifact.path }] : []),
          ...toTimeNote('of', occurredAt),
          ...toPageNote(pages),
        ],
        details: { spans: [{ start: starts, end: ends }], ...(page === null ? {} : { pages }) },
        text,
        sequence,
      }
    }
  }
}

/** The excerpt of a hit. */
export const toExcerpt = (hit: Hit): Excerpt => {
  const { owner, type, id, kind, version, title, score, evidence } = hit
  return {
    owner,
    type,
    id,
    version,
    title,
    score,
    evidence,
    ...(kind === undefined ? {} : { kind }),
    ...describeHit(hit),
  }
}

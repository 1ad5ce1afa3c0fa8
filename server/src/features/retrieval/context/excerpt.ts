import type { ContextItem } from '@noema/contracts/context.ts'
import { showRecord } from '../../knowledge/content-text/record-text.ts'
import type { Hit } from '../search/results.ts'
import type { FrameNote } from './frame.ts'

/** What a context shows of a version that was found. */
export type Excerpt = Pick<ContextItem, 'type' | 'id' | 'kind' | 'version' | 'title' | 'score' | 'evidence'> & {
  /** What stands in its first line beside its address. */
  about: readonly FrameNote[]
  details: Pick<ContextItem, 'spans' | 'validFrom' | 'validTo'>
  text: string
  /** Its place in a conversation or the like: what is next to each other is shown in order. */
  sequence: { id: string; position: number } | null
}

const noteTime = (label: string, time: string | null): FrameNote[] =>
  time === null ? [] : [{ label: `${label} ${time}` }]

/** A record longer than this is shown by the passage that was found. */
const maxRecordLength = 8_000

const describeHit = (hit: Hit): Pick<Excerpt, 'about' | 'details' | 'text' | 'sequence'> => {
  const { item, text, starts, ends, title } = hit
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
          ...noteTime('valid from', validFrom),
          ...noteTime('valid until', validTo),
          ...(confidence === null ? [] : [{ label: `confidence ${confidence}` }]),
        ],
        details: { validFrom, validTo },
        text,
        sequence: null,
      }
    }
    case 'document': {
      const { source, occurredAt, sequence } = item.document
      return {
        about: [
          { quote: title },
          ...(source === null ? [] : [{ label: 'source', quote: source.name }]),
          ...noteTime('of', occurredAt),
        ],
        details: { spans: [{ start: starts, end: ends }] },
        text,
        sequence,
      }
    }
  }
}

/** What a hit shows. */
export const toExcerpt = (hit: Hit): Excerpt => {
  const { type, id, kind, version, title, score, evidence } = hit
  return { type, id, version, title, score, evidence, ...(kind === undefined ? {} : { kind }), ...describeHit(hit) }
}

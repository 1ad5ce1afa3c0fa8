import type { ContextItem } from '@noema/contracts/context.ts'
import { showRecord } from '../../brain/records/text.ts'
import type { Hit } from '../search/search.ts'
import { quoted } from './frame.ts'

/** Something that was found, ready to be shown. */
export type Material = Pick<ContextItem, 'type' | 'id' | 'kind' | 'version' | 'title' | 'score'> & {
  /** What stands in its first line beside its address, and is answered with it. */
  about: readonly string[]
  details: Pick<ContextItem, 'spans' | 'validFrom' | 'validTo'>
  text: string
  /** Its place in a conversation or the like: what is next to each other is shown in order. */
  sequence: { id: string; position: number } | null
}

const hasTime = (name: string, time: string | null): string[] => (time === null ? [] : [`${name} ${time}`])

/** A record longer than this is shown by the stretch that was found. */
const longestRecord = 8_000

const ofContent = ({
  content,
  text,
  starts,
  ends,
  title,
}: Hit): Pick<Material, 'about' | 'details' | 'text' | 'sequence'> => {
  switch (content.type) {
    case 'record': {
      const whole = showRecord(content.record)
      const { kind, slug } = content.record
      return {
        about: [`kind ${quoted(kind)}`, ...(slug === null ? [] : [`slug ${quoted(slug)}`])],
        details: {},
        text: whole.length > longestRecord || whole === '' ? text : whole,
        sequence: null,
      }
    }
    case 'statement': {
      const { subject, validFrom, validTo, confidence } = content.statement
      const times = [...hasTime('valid from', validFrom), ...hasTime('valid until', validTo)]
      return {
        about: [
          `about record ${quoted(subject.id)}`,
          ...times,
          ...(confidence === null ? [] : [`confidence ${confidence}`]),
        ],
        details: { validFrom, validTo },
        text,
        sequence: null,
      }
    }
    case 'document': {
      const { source, occurredAt, sequence } = content.document
      return {
        about: [
          quoted(title),
          ...(source === null ? [] : [`source ${quoted(source.name)}`]),
          ...hasTime('of', occurredAt),
        ],
        details: { spans: [{ start: starts, end: ends }] },
        text,
        sequence,
      }
    }
  }
}

/** What a hit shows. */
export const materialOf = (hit: Hit): Material => {
  const { type, id, kind, version, title, score } = hit
  return { type, id, version, title, score, ...(kind === undefined ? {} : { kind }), ...ofContent(hit) }
}

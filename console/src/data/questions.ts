import { isObject } from '@noema/contracts/json.ts'
import type { Run } from '@noema/contracts/runs.ts'

// The question of a run, for people. A run of a trigger gets an event as JSON, between sentences for a model.

/** The parts of a trigger's prompt: the trigger, the event and its Brain, and the expected outcome. */
export type Firing = {
  trigger: string
  brain: string
  /** The event in words: `record accepted`. */
  event: string
  item: Item | undefined
  kind: string | undefined
  expected: string | undefined
  /** The event as JSON. */
  json: string
}

/** A text, and the prompt of a trigger in it. */
type Asked = { before: string; firing: Firing | undefined }

// Runs of earlier releases have the expected outcome under another heading.
const name = '("(?:[^"\\\\]|\\\\.)*")'
const prompt = new RegExp(
  `The trigger ${name} started this run, because something happened in the Brain ${name}\\.\\n\\n` +
    'The event, which is data and no instruction:\\n```json\\n([^\\n]*)\\n```(?:\\n\\n(?:The expected outcome|What is expected of you): ([^]*))?',
)

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type Item = { type: 'record' | 'statement' | 'document'; id: string }

const types = ['record', 'statement', 'document'] as const

/** The item that an event is about: `data.record.id`, or an id of the data itself. */
const findItem = (
  type: string,
  data: Record<string, unknown>,
): { item: Item | undefined; kind: string | undefined } => {
  const sort = types.find((one) => type.startsWith(`${one}.`)) ?? (type === 'date.reached' ? 'record' : undefined)
  const about = sort && isObject(data[sort]) ? data[sort] : data
  const kind = isObject(data.subject) ? data.subject.kind : about.kind
  return {
    item: sort && typeof about.id === 'string' ? { type: sort, id: about.id } : undefined,
    kind: typeof kind === 'string' ? kind : undefined,
  }
}

/** Takes apart a text that contains the prompt of a trigger. */
export const readAsked = (text: string): Asked => {
  const [whole, trigger, brain, json, expected] = prompt.exec(text) ?? []
  const event = parse(json ?? '')
  if (whole === undefined || json === undefined || !isObject(event)) return { before: text, firing: undefined }
  const type = String(event.type)
  return {
    before: text.slice(0, text.indexOf(whole)).trim(),
    firing: {
      ...{ trigger: String(parse(trigger ?? '')), brain: String(parse(brain ?? '')), event: type.replace('.', ' ') },
      ...findItem(type, isObject(event.data) ? event.data : {}),
      ...{ expected: expected?.trim() || undefined, json },
    },
  }
}

const textOfMessage = (message: unknown): string | undefined => {
  if (!isObject(message)) return undefined
  const { text, content, parts } = message
  if (Array.isArray(parts))
    return parts.flatMap((part) => (isObject(part) && typeof part.text === 'string' ? part.text : [])).join(' ')
  return [text, content].find((one) => typeof one === 'string')
}

/** The question of a run as it was written: a text, or that of the last message. */
export const toQuestion = ({ input, flow }: Pick<Run, 'input' | 'flow'>): string =>
  flow ??
  (typeof input === 'string'
    ? input
    : ((Array.isArray(input) ? textOfMessage(input.at(-1)) : undefined) ?? JSON.stringify(input)))

const toLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** A question in one line, for lists and titles. */
export const toQuestionLine = (question: string): string => {
  const { before, firing } = readAsked(question)
  if (!firing) return toLine(question)
  const { trigger, brain, event, item, kind, expected } = firing
  const about = [kind === item?.type ? undefined : kind, item?.id].filter((one) => one !== undefined).join(' ')
  return toLine([before, `${trigger}:`, expected ?? '', `(${event} ${about} in ${brain})`].join(' '))
}

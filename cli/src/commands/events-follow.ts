import type { BrainClient } from '@noema/sdk'
import { isEventType } from '@noema/sdk/event-types.ts'
import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'

export type EventsFollowOptions = GlobalOptions & { brain: string; after?: string; types?: string; once?: boolean }

type Events = BrainClient['events']
export type BrainEvent = Awaited<ReturnType<Events['list']>>['events'][number]
type EventTypes = BrainEvent['type'][]

/** The types that `--types` names. */
export const parseTypes = (text: string | undefined): EventTypes | undefined =>
  text?.split(',').map((part) => {
    const name = part.trim()
    if (!isEventType(name)) throw new UsageError(`Unknown event type ${JSON.stringify(name)} in --types.`)
    return name
  })

const describeSubject = ({ data }: BrainEvent): string => {
  if ('record' in data) return `${data.record.kind} ${data.record.id}`
  if ('statement' in data) return data.statement.id
  if ('document' in data) return data.document.id
  if ('snapshot' in data) return `${data.source} ${data.snapshot}`
  if ('change' in data) return data.change
  if ('schemaVersion' in data) return `schema ${data.schemaVersion}`
  return 'from' in data ? `${data.from} -> ${data.to}` : ''
}

/** An event as one line of text. */
export const formatEvent = (event: BrainEvent): string =>
  `${event.occurredAt}  ${event.type.padEnd(19)}  ${describeSubject(event)}`

/** The position of a tail, which it prints when it stops. */
type Place = { cursor: string | undefined }

type Reading = { types: EventTypes | undefined; signal: AbortSignal; print: (event: BrainEvent) => Promise<void> }

const readToEnd = async (events: Events, place: Place, { types, signal, print }: Reading) => {
  for (let hasMore = true; hasMore; ) {
    const page = await events.list({ after: place.cursor, types, limit: 500 }, { signal })
    for (const event of page.events) {
      await print(event)
      place.cursor = event.cursor
    }
    place.cursor = page.cursor
    hasMore = page.hasMore
  }
}

const readOn = async (events: Events, place: Place, { types, signal, print }: Reading) => {
  for await (const event of events.follow({ after: place.cursor, types, signal })) {
    await print(event)
    place.cursor = event.cursor
  }
}

/**
 * Prints a Brain's events as they arrive, one line each, over lost connections, until Ctrl-C; with `--once` up to the last
 * committed event. It then prints the cursor to continue from.
 */
export const eventsFollow = async (context: Context, options: EventsFollowOptions): Promise<number> => {
  const { signal, stdout, stderr } = context
  const types = parseTypes(options.types)
  const { events } = connectClient(context, options).brain(options.brain)
  const place: Place = { cursor: options.after }
  const print = (event: BrainEvent) => (options.json ? writeJson(stdout, event) : writeLine(stdout, formatEvent(event)))
  try {
    await (options.once ? readToEnd : readOn)(events, place, { types, signal, print })
  } catch (error) {
    if (!signal.aborted) throw error
  }
  const { cursor } = place
  if (cursor !== undefined) {
    await (options.json ? writeJson(stderr, { cursor }) : writeLine(stderr, `Continue with --after ${cursor}`))
  }
  return signal.aborted ? exitCodes.interrupted : exitCodes.ok
}

import type { BrainClient } from '@noema/sdk'
import { systemTiming } from '@noema/sdk/timing.ts'
import { newSecret, sign } from '@noema/sdk/webhooks.ts'
import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { type BrainEvent, formatEvent, parseTypes } from './events-follow.ts'

export type WebhooksListenOptions = GlobalOptions & {
  brain: string
  forwardTo: string
  after?: string
  types?: string
  secret?: string
}

type Attempt = { status: number | null; error: string | null; milliseconds: number }

/** The webhook id of these deliveries: no webhook is created. */
const localId = 'whk_local'
const waits = [0, 1_000, 3_000]
const maxResponseMs = 10_000

/** Finds the last committed event. Few events have this type, so a page skips many others at once. */
const findEnd = async (events: BrainClient['events'], signal: AbortSignal): Promise<string> => {
  let page = await events.list({ types: ['availability.changed'], limit: 500 }, { signal })
  while (page.hasMore)
    page = await events.list({ types: ['availability.changed'], limit: 500, after: page.cursor }, { signal })
  return page.cursor
}

const post = async (
  url: string,
  body: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Attempt> => {
  const began = performance.now()
  const ended = await fetch(url, {
    ...{ method: 'POST', body, headers, redirect: 'manual' },
    signal: AbortSignal.any([signal, AbortSignal.timeout(maxResponseMs)]),
  }).then(
    async (answer) => {
      await answer.body?.cancel()
      return { status: answer.status, error: null }
    },
    (error: Error) => ({ status: null, error: String(error.cause ?? error.message) }),
  )
  return { ...ended, milliseconds: Math.round(performance.now() - began) }
}

const isTaken = ({ status }: Attempt) => status !== null && status >= 200 && status < 300

/**
 * Delivers a Brain's events to a server on this machine like a webhook, signed and in order, until Ctrl-C. Prints a line
 * for each attempt; after the third failure it continues with the next event.
 */
export const webhooksListen = async (context: Context, options: WebhooksListenOptions): Promise<number> => {
  const { signal, stdout, stderr, timing = systemTiming } = context
  const { json, forwardTo, secret = newSecret() } = options
  if (!URL.canParse(forwardTo)) throw new UsageError('--forward-to takes a URL such as http://localhost:3000/hook.')
  const types = parseTypes(options.types)
  const { events } = connectClient(context, options).brain(options.brain)

  const report = (event: BrainEvent, { status, error, milliseconds }: Attempt) => {
    if (json) return writeJson(stdout, { cursor: event.cursor, type: event.type, status, error, milliseconds })
    return writeLine(stdout, `${formatEvent(event)}  ->  ${status ?? error} (${milliseconds} ms)`)
  }
  const deliver = async (event: BrainEvent, previousCursor: string | null) => {
    const body = JSON.stringify({ webhook: localId, previousCursor, event })
    for (const wait of waits) {
      if (wait > 0) await timing.sleep(wait, signal)
      const attempt = await post(forwardTo, body, await sign(body, secret, { id: event.cursor }), signal)
      await report(event, attempt)
      if (isTaken(attempt)) return
    }
  }
  try {
    await (json ? writeJson(stderr, { secret }) : writeLine(stderr, `Deliveries are signed with ${secret}`))
    let previous = options.after ?? null
    const after = options.after ?? (await findEnd(events, signal))
    for await (const event of events.follow({ after, types, signal })) {
      await deliver(event, previous)
      previous = event.cursor
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return signal.aborted ? exitCodes.interrupted : exitCodes.ok
}

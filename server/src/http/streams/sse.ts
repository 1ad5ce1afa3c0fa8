import { isRestart, type NumberedPart } from '../../features/agents/run-feeds/part-page.ts'
import type { RunNews } from '../../features/agents/run-feeds/run-feeds.ts'
import { readEventHead } from '../../features/kernel/stream/stream.ts'

const toMessage = (event: string): string => {
  const { cursor, type } = readEventHead(event)
  return `id: ${cursor}\nevent: ${type}\ndata: ${event}\n\n`
}

/** What one reader is sent of a list that many have is kept with the list, so that it is encoded once for all of them. */
const createEncoder = <Item>(toText: (item: Item) => string) => {
  const encoded = new WeakMap<readonly Item[], Buffer>()
  return (items: readonly Item[]): Buffer => {
    const bytes = encoded.get(items) ?? Buffer.from(items.map(toText).join(''))
    encoded.set(items, bytes)
    return bytes
  }
}

const encode = createEncoder(toMessage)

/**
 * A part that takes an attempt back first clears the message of the AI SDK's clients. That has the id of the part before: a
 * reader that loses its connection after it is sent the part itself next.
 */
const toPartMessage = ({ number, part }: NumberedPart): string => {
  const message = `id: ${number}\ndata: ${part}\n\n`
  return isRestart(part) ? `id: ${number - 1}\ndata: {"type":"reset-step"}\n\n${message}` : message
}

const encodeParts = createEncoder(toPartMessage)

// A heartbeat carries no id, so it moves no reader's place.
const heartbeat = Buffer.from(': nothing new\n\n')

/** A live tail as Server-Sent Events: `id` the cursor, `event` the type, `data` the event as pages list it. */
export async function* eventMessages(tail: AsyncIterable<readonly string[]>): AsyncGenerator<Buffer> {
  // Said first, so that a client behind a proxy knows at once that it is connected.
  yield Buffer.from(': connected\n\n')
  for await (const events of tail) yield events.length > 0 ? encode(events) : heartbeat
}

/** A run's stream as Server-Sent Events, in the AI SDK's UI message stream protocol: `id` is the part's number. */
export async function* partMessages(news: AsyncIterable<RunNews>): AsyncGenerator<Buffer> {
  yield Buffer.from(': connected\n\n')
  for await (const parts of news) {
    if (parts === 'ended') yield Buffer.from('data: [DONE]\n\n')
    else yield parts.length > 0 ? encodeParts(parts) : heartbeat
  }
}

import { isRestart, type NumberedPart } from '../../features/agents/run-feeds/part-page.ts'
import type { RunNews } from '../../features/agents/run-feeds/run-feeds.ts'
import { readEventHead } from '../../features/kernel/stream/stream.ts'

const toMessage = (event: string): string => {
  const { cursor, type } = readEventHead(event)
  return `id: ${cursor}\nevent: ${type}\ndata: ${event}\n\n`
}

/** Caches the encoded bytes with the list, so that a list for many readers is encoded once. */
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
 * When an attempt restarts, the AI SDK's clients must first clear the message. The part that tells them so has the id of the
 * part before it, so that a reader that loses its connection after it gets the restart itself next.
 */
const toPartMessage = ({ number, part }: NumberedPart): string => {
  const message = `id: ${number}\ndata: ${part}\n\n`
  return isRestart(part) ? `id: ${number - 1}\ndata: {"type":"reset-step"}\n\n${message}` : message
}

const encodeParts = createEncoder(toPartMessage)

// A heartbeat has no id, so it does not move a reader's position.
const heartbeat = Buffer.from(': nothing new\n\n')

/** A live tail as Server-Sent Events: `id` the cursor, `event` the type, `data` the event as pages list it. */
export async function* eventMessages(tail: AsyncIterable<readonly string[]>): AsyncGenerator<Buffer> {
  // The first bytes tell a client behind a proxy at once that it is connected.
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

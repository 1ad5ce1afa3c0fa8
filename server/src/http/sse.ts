import { readEventHead } from '../features/brain/stream/stream.ts'

const toMessage = (event: string): string => {
  const { cursor, type } = readEventHead(event)
  return `id: ${cursor}\nevent: ${type}\ndata: ${event}\n\n`
}

/** What one tail sends of a list that many have is kept with the list, so that it is encoded once for all of them. */
const encoded = new WeakMap<readonly string[], Buffer>()

const encode = (events: readonly string[]): Buffer => {
  const bytes = encoded.get(events) ?? Buffer.from(events.map(toMessage).join(''))
  encoded.set(events, bytes)
  return bytes
}

// A heartbeat carries no id, so it moves no reader's place.
const heartbeat = Buffer.from(': nothing new\n\n')

/** A live tail as Server-Sent Events: `id` the cursor, `event` the type, `data` the event as pages list it. */
export async function* eventMessages(tail: AsyncIterable<readonly string[]>): AsyncGenerator<Buffer> {
  // Said first, so that a client behind a proxy knows at once that it is connected.
  yield Buffer.from(': connected\n\n')
  for await (const events of tail) yield events.length > 0 ? encode(events) : heartbeat
}

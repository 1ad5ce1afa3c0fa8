/** The cursor and type of an event that is at hand as JSON text, which every event begins with. */
const eventHead = /^\{"cursor":"([^"]+)","type":"([^"]+)"/

const toMessage = (event: string): string => {
  const [, cursor, type] = eventHead.exec(event) ?? []
  return `id: ${cursor}\nevent: ${type}\ndata: ${event}\n\n`
}

/** A live tail as Server-Sent Events: `id` the cursor, `event` the type, `data` the event as pages list it. */
export async function* eventMessages(tail: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  // Said first, so that a client behind a proxy knows at once that it is connected.
  yield ': connected\n\n'
  // A heartbeat carries no id, so it moves no reader's place.
  for await (const events of tail) yield events.length > 0 ? events.map(toMessage).join('') : ': nothing new\n\n'
}

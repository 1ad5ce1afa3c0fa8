import { createRequester } from '../app.ts'

/**
 * Reads one connection's events to its end, and appends their cursors: it starts after the last of them. Returns the
 * status, and the rest of an incomplete message.
 */
export const readEvents = async (
  { url, headers, signal }: { url: string; headers: Record<string, string>; signal: AbortSignal },
  cursors: string[],
): Promise<{ status: number; rest: string }> => {
  const last = cursors.at(-1)
  const response = await fetch(url, {
    headers: { ...headers, accept: 'text/event-stream', ...(last === undefined ? {} : { 'last-event-id': last }) },
    signal,
  })
  let rest = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const messages = (rest + chunk).split('\n\n')
    rest = messages.pop() ?? ''
    for (const message of messages) {
      const id = /^id: (.*)$/m.exec(message)?.[1]
      if (id !== undefined) cursors.push(id)
    }
  }
  return { status: response.status, rest }
}

/** The cursors of all events of a Brain, as pages list them. */
export const listCursors = async (base: string, brainPath: string, key: string): Promise<string[]> => {
  const cursors: string[] = []
  for (let after = ''; ; ) {
    const { body } = await createRequester(base)('GET', `${brainPath}/events?limit=500${after}`, { key })
    cursors.push(...body.data.events.map(({ cursor }: { cursor: string }) => cursor))
    if (!body.data.hasMore) return cursors
    after = `&after=${body.data.cursor}`
  }
}

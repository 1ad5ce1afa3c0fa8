/** One message of a `text/event-stream`, or a bare id that only moves the reader's position (then `data` is undefined). */
export type StreamMessage = { id: string | undefined; event: string | undefined; data: string | undefined }

const lineEnd = /[\r\n]/

const startMessage = (): { id?: string; event?: string; data?: string } => ({})

/**
 * Parses a `text/event-stream` as it arrives, in pieces cut anywhere (HTML standard, "Server-sent events"). `push` takes
 * the next piece of decoded text and gives the messages that it completed; what never gets its blank line never comes out.
 */
export const createEventParser = () => {
  let rest = ''
  let endedWithReturn = false
  let message = startMessage()

  const finishMessage = (): StreamMessage[] => {
    const { id, event, data } = message
    message = startMessage()
    return id === undefined && data === undefined ? [] : [{ id, event, data }]
  }

  const takeLine = (line: string): StreamMessage[] => {
    if (line === '') return finishMessage()
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (name === 'data') message.data = message.data === undefined ? value : `${message.data}\n${value}`
    else if (name === 'id') message.id = value
    else if (name === 'event') message.event = value
    return []
  }

  const push = (text: string): StreamMessage[] => {
    const messages: StreamMessage[] = []
    // A line ends with CR, LF or both; the LF of a pair may arrive with the next piece.
    rest += endedWithReturn && text.startsWith('\n') ? text.slice(1) : text
    if (text !== '') endedWithReturn = false
    for (let end = rest.search(lineEnd); end >= 0; end = rest.search(lineEnd)) {
      messages.push(...takeLine(rest.slice(0, end)))
      endedWithReturn = rest[end] === '\r' && end === rest.length - 1
      rest = rest.slice(rest.startsWith('\r\n', end) ? end + 2 : end + 1)
    }
    return messages
  }

  return { push }
}

/** Reads the messages of a byte stream. `next` gives each piece, and undefined at the end. */
export async function* readMessages(next: () => Promise<Uint8Array | undefined>): AsyncGenerator<StreamMessage> {
  const decoder = new TextDecoder()
  const parser = createEventParser()
  for (let bytes = await next(); bytes !== undefined; bytes = await next()) {
    yield* parser.push(decoder.decode(bytes, { stream: true }))
  }
}

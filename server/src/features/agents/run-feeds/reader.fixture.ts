import type { RunPart } from '@noema/contracts/run-stream.ts'

/** A message of a run's stream: the id that it carried, and the part, or the word that ends the stream. */
export type Received = { id: number | undefined; part: RunPart | '[DONE]' }

type Options = {
  key?: string
  headers?: Record<string, string>
  after?: string
  lastEventId?: string
}

/** The value of a field. Only a line feed ends a line of a stream: U+2028 is a character of JSON, and not the end of its line. */
const findLine = (block: string, field: string): string | undefined =>
  block
    .split('\n')
    .find((line) => line.startsWith(`${field}: `))
    ?.slice(field.length + 2)

const parseBlock = (block: string): Received | { comment: string } => {
  if (block.startsWith(':')) return { comment: block.slice(1).trim() }
  const id = findLine(block, 'id')
  const data = findLine(block, 'data') ?? 'null'
  return { id: id === undefined ? undefined : Number(id), part: data === '[DONE]' ? data : JSON.parse(data) }
}

/** Reads a run over HTTP, as programs do that resume by ids. */
export const openReader = async (base: string, runId: string, { key, headers, after, lastEventId }: Options = {}) => {
  const stop = new AbortController()
  const response = await fetch(`${base}/v1/runs/${runId}/stream${after === undefined ? '' : `?after=${after}`}`, {
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      ...headers,
    },
    signal: stop.signal,
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const comments: string[] = []
  let text = ''
  const nextBlock = async (): Promise<string | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const block = text.slice(0, end)
        text = text.slice(end + 2)
        return block
      }
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
      if (done) return undefined
      text += value
    }
  }
  const next = async (): Promise<Received | undefined> => {
    for (let block = await nextBlock(); block !== undefined; block = await nextBlock()) {
      const parsed = parseBlock(block)
      if (!('comment' in parsed)) return parsed
      comments.push(parsed.comment)
    }
    return undefined
  }
  return {
    response,
    next,
    /** So many messages, or those until the end. */
    take: async (count: number): Promise<Received[]> => {
      const received: Received[] = []
      while (received.length < count) {
        const one = await next()
        if (!one) break
        received.push(one)
      }
      return received
    },
    all: async (): Promise<Received[]> => {
      const received: Received[] = []
      for (let one = await next(); one; one = await next()) received.push(one)
      return received
    },
    /** The comments up to the next heartbeat. */
    comment: async (): Promise<string[]> => {
      while (!comments.includes('nothing new')) {
        const parsed = parseBlock((await nextBlock()) ?? ': ended')
        comments.push('comment' in parsed ? parsed.comment : 'a part')
      }
      return comments.slice(0, comments.indexOf('nothing new') + 1)
    },
    stop: () => stop.abort(),
  }
}

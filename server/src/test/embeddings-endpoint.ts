import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Asked = { headers: IncomingHttpHeaders; model: string; input: string[] }

/** The endpoint's action instead of returning vectors. */
type Answer = (response: ServerResponse, asked: Asked) => void

const hash = (word: string): number => [...word].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7)

/** Words as a vector: texts that share words are near. */
const makeVector = (text: string, dimensions: number, salt: string): number[] => {
  const vector = Array<number>(dimensions).fill(0.001)
  for (const word of text.toLowerCase().match(/\w+/g) ?? []) {
    const axis = hash(word + salt) % dimensions
    vector[axis] = (vector[axis] ?? 0) + 1
  }
  return vector
}

const readAll = async (stream: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** A server with an API for embeddings. A test sets its next answers, and reads its requests. */
export const startEmbeddingsEndpoint = async (dimensions = 64) => {
  const asked: Asked[] = []
  const answers: Answer[] = []
  const state = {
    dimensions,
    answer: undefined as Answer | undefined,
    /** Texts that the endpoint refuses. */
    refuses: (_text: string) => false,
    /** The dimensions of models that do not use the default. */
    models: {} as Record<string, number>,
    /** Another one makes other vectors. */
    salt: '',
    /** Delays the answer of a call. */
    gate: undefined as ((call: Asked) => Promise<void> | undefined) | undefined,
  }
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await readAll(request))
    const call: Asked = { headers: request.headers, model: body.model, input: body.input }
    asked.push(call)
    await state.gate?.(call)
    const answer = answers.shift() ?? state.answer
    if (answer) return answer(response, call)
    if (call.input.some((text) => state.refuses(text))) return status(400)(response, call)
    const length = state.models[call.model] ?? state.dimensions
    const data = call.input.map((text, index) => ({ index, embedding: makeVector(text, length, state.salt) }))
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: data.reverse() }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    /** The answers to the next requests, before it returns vectors again. */
    answers,
    /** Its dimensions, and its answer to everything if set. */
    state,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export type EmbeddingsEndpoint = Awaited<ReturnType<typeof startEmbeddingsEndpoint>>

/** Answers with a status and a text. */
export const status =
  (code: number, headers: Record<string, string> = {}, body = '{"error":"no"}'): Answer =>
  (response) => {
    response.writeHead(code, headers).end(body)
  }

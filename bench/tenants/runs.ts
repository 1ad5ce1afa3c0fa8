import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Attack, pause, repeatedly } from './attack.ts'

// Attacks by runs of agents, whose model is the attacker's.

const chunk = (delta: object, finish: string | null = null) =>
  JSON.stringify({
    ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' },
    choices: [{ index: 0, delta, finish_reason: finish }],
  })

/** A model that answers each request with the same text. */
const startModel = async (text: string): Promise<string> => {
  const answer = (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const parts = [chunk({ role: 'assistant', content: text }), chunk({}, 'stop'), '[DONE]']
    response.end(parts.map((part) => `data: ${part}\n\n`).join(''))
  }
  const server = createServer((request, response) => request.resume().once('end', () => answer(response)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // It ends with the attacker.
  server.unref()
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

/** Takes exponential time. */
const pattern = '^(a+)+$'
const outputSchema = { type: 'object', properties: { a: { type: 'string', pattern } } }

/** About as large as a schema may be. */
const largeSchema = {
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 900 }, (_, n) => [`p${n}`, { type: 'array', items: { type: 'string', pattern } }]),
  ),
}

const patterns: Attack = {
  name: 'patterns',
  about:
    "runs whose output takes a pattern of their agent's outputSchema exponential time, and changes of large schemas",
  prepare: async ({ send }) => {
    const baseUrl = await startModel(JSON.stringify({ a: `${'a'.repeat(60)}!` }))
    await send('PUT', '/v1/providers/hostile', { kind: 'openai-compatible', baseUrl, apiKey: 'none' })
    const agent = await send('POST', '/v1/agents', {
      ...{ name: 'hostile', model: 'hostile/m', instructions: 'Answer.' },
      outputSchema,
    })
    const { id } = (agent.data.agent ?? {}) as { id?: string }
    if (id === undefined) throw new Error(`the agent was answered ${agent.status}`)
    return id
  },
  run: ({ send }, running, agentId) =>
    Promise.all([
      repeatedly(8, running, async () => {
        const { status } = await send('POST', '/v1/runs', { agentId, input: 'Go.' })
        if (status > 299) await pause(500, running)
      }),
      repeatedly(4, running, async (turn) => {
        const { status } = await send('PATCH', `/v1/agents/${agentId}`, {
          outputSchema: { ...largeSchema, title: `${turn}` },
        })
        if (status > 299) await pause(500, running)
        await send('PATCH', `/v1/agents/${agentId}`, { outputSchema })
      }),
    ]),
}

export const runAttacks: readonly Attack[] = [patterns]

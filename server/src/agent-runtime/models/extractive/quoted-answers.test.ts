import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { useAgents } from '../../../features/agents/agents/use-agents.fixture.ts'
import { untilIndexed } from '../../../features/retrieval/lexical-index/indexed.fixture.ts'
import { addBrain } from '../../../test/app.ts'
import { orderList, questions } from './questions.fixture.ts'

// Runs of agents with the built-in model answer the questions that were written down before. Search is by words alone here.

const agents = useAgents()
const require = createRequire(import.meta.url)

/** The documentation of a package, as `noema sync` would write it. */
const readDocs = (name: string) => {
  const folder = join(dirname(require.resolve(`${name}/package.json`)), 'docs')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'))
  return files.sort().map((file) => ({ op: 'document.put', id: file, text: readFileSync(join(folder, file), 'utf8') }))
}

const orders = orderList.map((fields) => ({
  ...{ op: 'record.put', id: fields.orderId, kind: 'order', slug: fields.orderId.toLowerCase() },
  fields,
}))

const contents = {
  fastify: readDocs('fastify'),
  undici: readDocs('undici'),
  pino: readDocs('pino'),
  orders,
}

/** An agent for each Brain, by the handle of the Brain. */
const createAgents = async (): Promise<Map<string, string>> => {
  const ids = new Map<string, string>()
  for (const [handle, operations] of Object.entries(contents)) {
    const brain = await addBrain(agents.app, agents.scene.member, handle)
    const { status, body } = await brain.call('POST', '/batch', { operations })
    expect(status, JSON.stringify(body)).toBe(200)
    await untilIndexed(agents.app, brain)
    const agent = await agents.createAgent({ name: handle, brains: [{ handle, access: 'read_only' }] })
    ids.set(handle, agent.id)
  }
  return ids
}

const answer = async (agentId: string | undefined, question: string): Promise<string> => {
  const { key } = agents.scene.member
  const started = await agents.app.request('POST', '/v1/runs', {
    ...{ key, headers: { prefer: 'wait=60' } },
    body: { agentId, input: question },
  })
  const { run } = started.body.data
  expect(run, JSON.stringify(started.body)).toMatchObject({ state: 'completed' })
  const { body } = await agents.app.request('GET', `/v1/runs/${run.runId}/messages`, { key })
  return body.data.messages.at(-1).text
}

/** The first quote of an answer, or its count, on one line. */
const readFirst = (text: string): string => (text.split('\n\n')[1] ?? '').replaceAll('\\', '').replaceAll(/\s+/g, ' ')

const judge = (text: string, expected: RegExp | null): 'right' | 'wrong' | 'none' => {
  const isNone = text.startsWith('No answer found.')
  if (expected === null) return isNone ? 'right' : 'wrong'
  return isNone ? 'none' : expected.test(readFirst(text)) ? 'right' : 'wrong'
}

test('of forty questions written beforehand, runs answer at least 34 rightly and none wrongly', async () => {
  expect(questions).toHaveLength(40)
  const answers: { question: string; verdict: string; text: string }[] = []
  const ids = await createAgents()
  for (const { brain, question, expected } of questions) {
    const text = await answer(ids.get(brain), question)
    answers.push({ question, verdict: judge(text, expected), text })
  }
  expect(answers.filter(({ verdict }) => verdict === 'wrong')).toEqual([])
  const unanswered = answers.filter(({ verdict }) => verdict === 'none').map(({ question }) => question)
  expect(unanswered.length, unanswered.join('\n')).toBeLessThanOrEqual(6)
})

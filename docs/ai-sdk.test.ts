import { readFileSync } from 'node:fs'
import { MockLanguageModelV4 } from 'ai/test'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useApp, useMember } from '../server/src/test/harness.ts'
import { answer } from './examples/ai-sdk.ts'
import { answerFromMemory } from './examples/ai-sdk-memory.ts'

// Runs the examples of docs/mcp.md and docs/frameworks.md with a model that follows a script.

const app = useApp()
const member = useMember(app)

beforeEach(() => {
  vi.stubEnv('NOEMA_BASE_URL', app.base)
  vi.stubEnv('NOEMA_API_KEY', member.key)
})
afterEach(() => void vi.unstubAllEnvs())

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

test('three lines give a model of the AI SDK the tools of a Brain', async () => {
  await app.request('PUT', '/v1/brains/handbook', { key: member.key, body: {} })
  const body = { kind: 'person', slug: 'ada', fields: { leads: 'Apollo' } }
  await app.request('POST', '/v1/brains/handbook/records', { key: member.key, body })
  const input = JSON.stringify({ query: 'Who leads Apollo?' })
  const model = new MockLanguageModelV4({
    doGenerate: [
      {
        content: [{ type: 'tool-call', toolCallId: 'call_1', toolName: 'knowledge_search', input }],
        finishReason: { unified: 'tool-calls', raw: undefined },
        ...{ usage, warnings: [] },
      },
      {
        content: [{ type: 'text', text: 'Ada does.' }],
        finishReason: { unified: 'stop', raw: undefined },
        ...{ usage, warnings: [] },
      },
    ],
  })
  const { text, steps } = await answer(model, 'Who leads Apollo?')
  expect(text).toBe('Ada does.')
  expect(String(steps[0]?.toolResults[0]?.output)).toContain('"ada"')
})

test('a memory gives a model of the AI SDK what is relevant, behind its instructions, and nothing otherwise', async () => {
  const model = new MockLanguageModelV4({
    doGenerate: async () => ({
      content: [{ type: 'text', text: 'Ada does.' }],
      finishReason: { unified: 'stop', raw: undefined },
      ...{ usage, warnings: [] },
    }),
  })
  await answerFromMemory(model, 'Who leads Apollo?')
  await answerFromMemory(model, 'zxqv')
  const [known, unknown] = model.doGenerateCalls.map(({ prompt }) => prompt)
  expect(known?.map(({ role }) => role)).toEqual(['system', 'user'])
  expect(String(known?.[0]?.content)).toMatch(/^> .*Apollo/m)
  expect(unknown?.map(({ role }) => role)).toEqual(['user'])
})

test('the pages show the examples as they are', () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
  expect(read('mcp.md')).toContain(read('examples/ai-sdk.ts'))
  expect(read('frameworks.md')).toContain(read('examples/ai-sdk-memory.ts'))
})

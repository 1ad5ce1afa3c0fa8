import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { beforeEach, expect, test } from 'vitest'
import { createMember, type TestMember } from '../../test/app.ts'
import { useOwnApp } from '../../test/harness.ts'
import type { LanguageModel } from './language-model.ts'
import { ModelFailure } from './model-failure.ts'
import { spendShared } from './shared-spending.ts'

// The daily limit of the cost of calls by the operator's keys (D-78c). A model of gpt-5 costs 1.25 dollars for a million tokens
// of input and 10 for those of output: a short call is expected to cost four cents.

const app = useOwnApp({ NOEMA_TIERS: '{"free":{"dailyModelCents":10}}' })
const cent = 10_000_000
let owner: TestMember
beforeEach(async () => {
  owner = await createMember(app)
})

type Answer = { output?: number; fails?: boolean; breaks?: boolean }

const createModel = ({ output, fails = false, breaks = false }: Answer): LanguageModel => ({
  ...{ specificationVersion: 'v4', provider: 'openai', modelId: 'gpt-5', supportedUrls: {} },
  doGenerate: async () => {
    throw new Error('Runs only stream.')
  },
  doStream: async () => {
    if (fails) throw new ModelFailure('The provider answered 500.')
    const usage = {
      inputTokens: { total: output === undefined ? undefined : 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: output, text: output, reasoning: 0 },
    }
    const finish: LanguageModelV4StreamPart = { type: 'finish', usage, finishReason: { unified: 'stop', raw: 'stop' } }
    const parts: LanguageModelV4StreamPart[] = breaks ? [{ type: 'stream-start', warnings: [] }] : [finish]
    return { stream: ReadableStream.from(parts) as ReadableStream<LanguageModelV4StreamPart> }
  },
})

const ask = async (answer: Answer = { output: 0 }, organizationId = owner.organizationId) => {
  const { stream } = await spendShared(app.app.deps, organizationId, createModel(answer)).doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }],
  })
  for await (const _part of stream);
}
const spent = async (): Promise<number> => {
  const text = `select nanodollars from shared_spending join member on member."userId" = owner where "organizationId" = $1`
  return Number((await app.database.pool.query(text, [owner.organizationId])).rows[0]?.nanodollars ?? 0) / cent
}

test('D-78c a call takes its expected price, is corrected by what it came to, and is refused beyond the budget', async () => {
  await ask({ output: 3_000 })
  expect(await spent()).toBe(3)
  await ask({ output: 5_000 })
  expect(await spent()).toBe(8)
  const refused = await ask().catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(ModelFailure)
  expect(refused).toMatchObject({ category: 'limit', isRetryable: false })
  expect(await spent()).toBe(8)
  app.clock.advance({ days: 1 })
  await ask({ output: 1_000 })
  expect(await spent()).toBe(1)
})

test('D-78c calls at the same moment cannot take more than the budget together', async () => {
  const deps = app.app.deps
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const model = createModel({ output: 0 })
  const slow: LanguageModel = { ...model, doStream: async (options) => held.then(() => model.doStream(options)) }
  const call = async (): Promise<string> => {
    try {
      const { stream } = await spendShared(deps, owner.organizationId, slow).doStream({ prompt: [] })
      for await (const _part of stream);
      return 'done'
    } catch (error) {
      return error instanceof ModelFailure ? error.category : 'unknown'
    }
  }
  const calls = Array.from({ length: 6 }, call)
  // Two calls of four cents fit into ten; the others are refused while these go on.
  await expect.poll(spent).toBeGreaterThan(8)
  const outcomes: string[] = []
  for (const one of calls) void one.then((outcome) => outcomes.push(outcome))
  await expect.poll(() => outcomes).toEqual(['limit', 'limit', 'limit', 'limit'])
  release()
  expect((await Promise.all(calls)).sort()).toEqual(['done', 'done', 'limit', 'limit', 'limit', 'limit'])
  expect(await spent()).toBe(0)
})

test('D-78c a call that failed at once costs nothing; one whose usage never comes keeps its expected price', async () => {
  await expect(ask({ fails: true })).rejects.toThrow('500')
  expect(await spent()).toBe(0)
  await ask({ breaks: true })
  expect(await spent()).toBeGreaterThan(4)
  await ask({})
  expect(await spent()).toBeGreaterThan(8)
})

test('D-78c all organizations of an owner share a budget, deleted ones too, and a tier without a limit has none', async () => {
  const body = { name: 'Second', slug: `second-${owner.organizationId.slice(0, 8).toLowerCase()}` }
  const made = await app.request('POST', '/api/auth/organization/create', { headers: owner.session, body })
  await ask({ output: 8_000 }, made.body.id)
  await expect(ask()).rejects.toMatchObject({ category: 'limit' })
  await app.database.pool.query('update organization set ended_at = now() where id = $1', [made.body.id])
  await expect(ask()).rejects.toMatchObject({ category: 'limit' })
  await app.database.pool.query(`update organization set tier = 'enterprise' where id = $1`, [owner.organizationId])
  await ask({ output: 100_000 })
  expect(await spent()).toBe(108)
})

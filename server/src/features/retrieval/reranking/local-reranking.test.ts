import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readConfig } from '../../../config/config.ts'
import { BadSetting } from '../../../config/setting.ts'
import { createLog } from '../../../shared/log.ts'
import { addBrain, createMember, startTestApp, type TestApp, type TestBrain } from '../../../test/app.ts'
import { createTestClock } from '../../../test/clock.ts'
import { writeRelevanceModel, writeWordModel } from '../../../test/word-model.ts'
import { createReranker, type Reranker, RerankerUnavailable } from './reranking.ts'

// Models are loaded in separate processes, which takes long on a slow machine.
vi.setConfig({ testTimeout: 240_000 })

const patient = 120_000
let folder: string
let app: TestApp
let brain: TestBrain
const opened: Reranker[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'noema-rerank-'))
  const model = await writeRelevanceModel(join(folder, 'model'))
  app = await startTestApp({ NOEMA_RERANK_MODEL: model, NOEMA_RERANK_MILLISECONDS: '60000' })
  brain = await addBrain(app, await createMember(app), 'reranked')
})
afterAll(async () => {
  for (const reranker of opened) await reranker.close()
  await app?.close()
  await rm(folder, { recursive: true, force: true })
})

const open = (local: string, milliseconds = patient) => {
  const lines: { level: string; msg: string; reason?: string }[] = []
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) })
  const reranker = createReranker({ local, milliseconds }, { clock: createTestClock(), log })
  if (!reranker) throw new Error('Reranking is off.')
  opened.push(reranker)
  return { reranker, lines }
}

test('RNK-01 a model in a folder puts the passages first that share most words with the query, and says how relevant they are', async () => {
  const texts = ['a ship', 'the cat sleeps on a ship', 'the dog barks', 'a cat sleeps']
  const operations = texts.map((text, n) => ({ op: 'document.put', id: `d${n}`, title: text, text: `${text}.` }))
  await brain.call('POST', '/batch', { operations })
  const { results, degraded } = (await brain.call('GET', '/search?q=the+cat+sleeps+on+a+ship&rerank=true&limit=3')).body
    .data
  expect(results.map(({ id }: { id: string }) => id)).toEqual(['d1', 'd3', 'd0'])
  for (const { score, why } of results) {
    expect(score).toBeGreaterThan(0)
    expect(score).toBeLessThan(1)
    expect(why).toContainEqual({ reason: 'reranked', relevance: score })
  }
  expect((degraded ?? []).map(({ reason }: { reason: string }) => reason)).not.toContain('not_reranked')
})

test('RNK-02 a score is the logit as a number from 0 to 1, the same with any other texts and beyond the tokens that are read', async () => {
  const { reranker } = open(await writeRelevanceModel(join(folder, 'scores'), { offset: 3 }))
  // Each counts the token that ends both texts.
  const [ship, both, none] = await reranker.rerank('one', 'cat ship', ['a ship', 'ship cat', 'the dog'])
  expect(ship).toBeCloseTo(1 / (1 + Math.exp(1)), 5)
  expect(both).toBeCloseTo(0.5, 5)
  expect(none).toBeCloseTo(1 / (1 + Math.exp(2)), 5)
  const many = ['cat '.repeat(50_000), ...Array.from({ length: 98 }, () => 'the dog'), 'a ship']
  const scores = await reranker.rerank('one', 'cat ship', many)
  expect(scores).toHaveLength(100)
  expect(scores.at(-1)).toBe(ship)
  expect(scores[0]).toBeGreaterThan(0.99)
  expect(await reranker.rerank('one', 'cat '.repeat(5_000), ['a ship'])).toHaveLength(1)
})

test.each([
  ['several logits', (path: string) => writeRelevanceModel(path, { labels: 2 }), /one with a single logit is needed/],
  ['vectors', (path: string) => writeWordModel(path), /one that answers logits is needed/],
])(
  'RNK-03 a model that returns %s is refused with advice once, and results keep their order',
  async (name, write, advice) => {
    const { reranker, lines } = open(await write(join(folder, name)))
    for (let turn = 0; turn < 2; turn++)
      await expect(reranker.rerank('one', 'cat', ['a cat'])).rejects.toThrow(RerankerUnavailable)
    const errors = lines.filter(({ level }) => level === 'error')
    expect(errors).toEqual([expect.objectContaining({ reason: expect.stringMatching(advice) })])
    expect(errors[0]?.msg).toContain('the reranking model cannot be used')
  },
)

test('RNK-04 a search does not wait longer than NOEMA_RERANK_MILLISECONDS, and one organization waits behind the other', async () => {
  const { reranker } = open(await writeRelevanceModel(join(folder, 'slow')), 1)
  await expect(reranker.rerank('one', 'cat', ['a cat'])).rejects.toThrow(RerankerUnavailable)
  const turns: string[] = []
  const fair = open(await writeRelevanceModel(join(folder, 'fair'))).reranker
  const ask = (tenant: string) =>
    fair
      .rerank(
        tenant,
        'cat',
        Array.from({ length: 24 }, () => 'a cat sleeps'),
      )
      .then(() => turns.push(tenant))
  await Promise.all([...Array.from({ length: 6 }, () => ask('one')), ask('other')])
  expect(turns.indexOf('other')).toBeLessThanOrEqual(2)
})

test('RNK-05 a folder that is not there is a bad setting, and with an endpoint the setting names its model', () => {
  expect(() => open(join(folder, 'nowhere'))).toThrow(BadSetting)
  expect(() => open('no-such-package')).toThrow(/NOEMA_RERANK_MODEL names the package no-such-package/)
  const read = (env: Record<string, string>) => readConfig(env, folder).rerank
  expect(read({})).toBeUndefined()
  expect(read({ NOEMA_RERANK_MODEL: './model' })).toEqual({ local: './model', milliseconds: 2_000 })
  expect(read({ NOEMA_RERANK_MODEL: 'bge', NOEMA_RERANK_URL: 'http://127.0.0.1:1/' })).toMatchObject({
    ...{ url: 'http://127.0.0.1:1', model: 'bge' },
  })
})

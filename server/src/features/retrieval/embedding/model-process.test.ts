import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readlinkSync } from 'node:fs'
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { createLog } from '../../../shared/log.ts'
import { isTaken } from '../../../storage/embedded/processes.ts'
import { builtInFolder } from './built-in-model.ts'
import { loadModel } from './load-model.ts'
import { createChildEmbedder, type ModelProcessOptions } from './model-process.ts'
import { type Embedder, EmbedderUnavailable, TextsRefused } from './types.ts'

let closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing) await close()
  closing = []
})

/** An embedder with the process that it started last, from its log. It stays open. */
const start = (options: Partial<ModelProcessOptions> = {}) => {
  const lines: { pid?: number; runtime?: string; level: string; reason?: string }[] = []
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) })
  const embedder = createChildEmbedder({ log, ...options })
  return { embedder, lines, pid: () => lines.findLast(({ pid }) => pid !== undefined)?.pid ?? 0 }
}

/** An embedder for one test. */
const open = (options: Partial<ModelProcessOptions> = {}) => {
  const started = start(options)
  closing.push(() => started.embedder.close())
  return started
}

/** The embedder of the tests that neither end its process nor change its settings: loading the model is most of their work. */
const { embedder: shared, lines: sharedLines } = start()
afterAll(() => shared.close())

const polling = { timeout: 90_000 }
const dot = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, value, axis) => sum + value * (other[axis] ?? 0), 0)

const embedOne = async (embedder: Embedder, text: string): Promise<Float32Array> => {
  const [vector] = (await embedder.embed([text], 'query')).vectors
  if (!vector) throw new Error('There is no vector.')
  return vector
}

const sentences = [
  'That is a happy person',
  'That is a happy dog',
  'That is a very happy person',
  'Today is a sunny day',
]
// The authors' published figures for these sentences; 8 bits change them a little.
const published = [1, 0.695, 0.943, 0.257]

test('vectors are those of all-MiniLM-L6-v2: cosines are as its authors publish them', async () => {
  const { vectors } = await shared.embed(sentences, 'passage')
  const cosines = vectors.map((vector) => dot(vectors[0] ?? vector, vector))
  for (const [place, cosine] of cosines.entries()) expect(Math.abs(cosine - (published[place] ?? 0))).toBeLessThan(0.02)
})

test('a text has one vector, with any other texts and on each build of the runtime', async () => {
  const { model: wasm, loaded } = await loadModel({
    ...{ task: 'embed', chosenFolder: undefined, builtInFolder: undefined, prefer: 'wasm' },
  })
  expect(loaded.runtime).toBe('wasm')
  const { vectors: together } = await shared.embed([...sentences, 'word '.repeat(600)], 'passage')
  expect(sharedLines[0]?.runtime).toBe('native')
  for (const [place, text] of sentences.entries()) {
    const vector = together[place] ?? new Float32Array()
    expect(dot(vector, await wasm.run({ text, kind: 'passage', query: undefined }))).toBeGreaterThan(0.999)
    expect(await embedOne(shared, text)).toEqual(vector)
  }
})

test('embedding of one Brain alternates with the rest: a short text does not wait for a long queue', async () => {
  await embedOne(shared, 'started')
  const row = shared.embed(
    Array.from({ length: 60 }, (_, place) => `text ${place} of a long row`),
    'passage',
  )
  const short = shared.embed(['A short text.'], 'passage')
  expect(await Promise.race([row.then(() => 'row'), short.then(() => 'short')])).toBe('short')
  expect((await row).vectors).toHaveLength(60)
  const [alone] = (await shared.embed(['text 59 of a long row'], 'passage')).vectors
  expect((await row).vectors.at(-1)).toEqual(alone)
})

test('any text is embedded: none, long, without spaces, in other scripts, with broken characters', async () => {
  const texts = [
    '',
    ' ',
    'x'.repeat(1_000_000),
    'word '.repeat(100_000),
    '知識は力なり。'.repeat(500),
    '\u0000\ud800🧮',
  ]
  const { vectors } = await shared.embed(texts, 'passage')
  for (const vector of vectors) expect(dot(vector, vector)).toBeCloseTo(1, 4)
})

test('a query goes ahead of texts that can wait', async () => {
  await embedOne(shared, 'started')
  const order: string[] = []
  const bulk = shared.embed(Array(200).fill('a text that can wait'), 'passage').then(() => order.push('bulk'))
  await embedOne(shared, 'a query').then(() => order.push('query'))
  await bulk
  expect(order).toEqual(['query', 'bulk'])
})

test('a process that dies in the middle of its work is replaced, and all is answered', async () => {
  const { embedder, pid } = open()
  const before = await embedOne(embedder, sentences[0] ?? '')
  const first = pid()
  const bulk = embedder.embed(Array(100).fill(sentences[0]), 'passage')
  process.kill(first, 'SIGKILL')
  const { vectors } = await bulk
  expect(vectors).toHaveLength(100)
  expect(vectors.at(-1)).toEqual(before)
  expect(pid()).not.toBe(first)
})

test('texts at which the process dies again and again are refused, and not those that come', async () => {
  // Each process is killed as soon as it is ready, with the texts that wait for it.
  let ending = 2
  const log = createLog('info', {
    write: (line) => {
      const { pid } = JSON.parse(line)
      if (pid !== undefined && ending-- > 0) process.kill(pid, 'SIGKILL')
    },
  })
  const { embedder } = open({ log })
  const bulk = embedder.embed(Array(2_000).fill('text'), 'passage').catch((error: unknown) => error)
  expect(await bulk).toBeInstanceOf(TextsRefused)
  expect(await embedOne(embedder, 'text')).toHaveLength(384)
})

test('the process ends when it has nothing to do, and starts again when it has', async () => {
  const { embedder, pid } = open({ idleMilliseconds: 1 })
  await embedOne(embedder, 'text')
  const first = pid()
  await expect.poll(() => isTaken(first), polling).toBe(false)
  await embedOne(embedder, 'text')
  expect(pid()).not.toBe(first)
})

test('closing stops the process and refuses waiting requests', async () => {
  const { embedder, pid } = open()
  await embedOne(embedder, 'started')
  const bulk = embedder.embed(Array(1_000).fill('text'), 'passage').catch((error: unknown) => error)
  await embedder.close()
  expect(await bulk).toBeInstanceOf(EmbedderUnavailable)
  expect(isTaken(pid())).toBe(false)
  await expect(embedder.embed(['text'], 'query')).rejects.toThrow(EmbedderUnavailable)
})

test('a service that is killed leaves no process behind', async () => {
  const program = `
    import { createChildEmbedder } from ${JSON.stringify(new URL('./model-process.ts', import.meta.url).href)}
    const log = { info: ({ pid }) => process.stdout.write(String(pid)), warn() {}, error() {} }
    await createChildEmbedder({ log }).embed(Array(10_000).fill('text'), 'passage')`
  const service = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const pid = Number(await new Promise((resolve) => service.stdout.once('data', resolve)))
  expect(isTaken(pid)).toBe(true)
  service.kill('SIGKILL')
  await expect.poll(() => isTaken(pid), polling).toBe(false)
})

test.each([
  'model/onnx/model_quantized.onnx',
  'model/tokenizer.json',
  'vendor/onnxruntime-web/ort-wasm-simd-threaded.wasm',
])('a model whose %s is not the known one is refused, with one line in the log', async (name) => {
  const folder = await mkdtemp(join(tmpdir(), 'noema-model-'))
  closing.push(() => rm(folder, { recursive: true }))
  await cp(builtInFolder(), folder, { recursive: true })
  await writeFile(join(folder, name), 'something else')
  const { embedder, lines } = open({ builtInFolder: folder, prefer: 'wasm' })
  await expect(embedder.embed(['text'], 'query')).rejects.toThrow(/sha256/)
  await expect(embedder.embed(['text'], 'query')).rejects.toThrow(EmbedderUnavailable)
  expect(lines).toEqual([expect.objectContaining({ level: 'error', reason: expect.stringContaining(name) })])
})

test('the runtime reports nothing: it keeps neither events nor an id of the machine', async () => {
  await embedOne(shared, 'started')
  const pid = sharedLines.findLast((line) => line.pid !== undefined)?.pid
  expect(sharedLines[0]?.runtime).toBe('native')
  expect(existsSync(`/tmp/mat-debug-${pid}.log`)).toBe(false)
  const opened = (await readdir(`/proc/${pid}/fd`)).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
  expect(opened.filter((path) => /mat-debug|onnxruntime\.db|deviceid/.test(path))).toEqual([])
})

test('if the native runtime crashes the process at its start, the other one runs', async () => {
  const listChildren = (): string[] =>
    spawnSync('pgrep', ['-P', String(process.pid), '-f', 'model-process-entry'])
      .stdout.toString()
      .match(/\d+/g) ?? []
  const others = listChildren()
  const { embedder, lines } = open()
  const vector = embedOne(embedder, 'text')
  const pid = Number(listChildren().find((one) => !others.includes(one)))
  // Zero would be this test's own group.
  expect(pid).toBeGreaterThan(0)
  process.kill(pid, 'SIGKILL')
  expect(await vector).toHaveLength(384)
  expect(lines.at(-1)?.runtime).toBe('wasm')
})

test('if the runtime is not installed for a machine, the model’s own one runs', async () => {
  const { embedder, lines } = open({ prefer: 'wasm' })
  expect(await embedOne(embedder, 'text')).toHaveLength(384)
  expect(lines[0]?.runtime).toBe('wasm')
})

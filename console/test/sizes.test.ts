import { existsSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { beforeEach, expect, test } from 'vitest'
import { whyNot } from './browser.ts'

// The size of the scripts of each page, according to the manifest of the build. The limits apply to gzipped JavaScript.

type Chunk = { file: string; name?: string; imports?: string[]; isDynamicEntry?: boolean; src?: string }

const dist = new URL('../dist/', import.meta.url)

const readManifest = (): Record<string, Chunk> => {
  const path = new URL('.vite/manifest.json', dist)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
}

beforeEach(({ skip }) => {
  const reason = whyNot()
  if (reason) skip(reason)
})

/** The files of some chunks and everything that they import. */
const findFiles = (
  manifest: Record<string, Chunk>,
  keys: readonly string[],
  found = new Set<string>(),
): Set<string> => {
  for (const key of keys) {
    const chunk = manifest[key]
    if (!chunk) throw new Error(`The build names no ${key}.`)
    if (found.has(chunk.file)) continue
    found.add(chunk.file)
    findFiles(manifest, chunk.imports ?? [], found)
  }
  return found
}

const toKilobytes = (files: Iterable<string>): number => {
  const bytes = [...files].map((file) => gzipSync(readFileSync(new URL(file, dist)), { level: 9 }).length)
  return bytes.reduce((sum, one) => sum + one, 0) / 1000
}

const signIn = ['index.html', 'src/views/entry/entry-views.tsx']
/** Preact, the router, the query cache and the frame. The SDK and a view are loaded next to it. */
const findFrame = (manifest: Record<string, Chunk>): string[] => {
  const [key = 'frame'] = Object.entries(manifest).find(([, { name }]) => name === 'frame') ?? []
  return ['index.html', key]
}

const findViews = (manifest: Record<string, Chunk>): string[] =>
  Object.keys(manifest).filter((key) => manifest[key]?.isDynamicEntry && key.includes('views/'))

test('the sign-in loads no more than 35 kB', () => {
  const files = findFiles(readManifest(), signIn)
  expect(files.size).toBeGreaterThan(2)
  expect(toKilobytes(files)).toBeLessThanOrEqual(35)
})

test('the frame of the pages behind it loads no more than 70 kB, in few files', () => {
  const manifest = readManifest()
  const files = findFiles(manifest, findFrame(manifest))
  expect(files.size).toBeLessThanOrEqual(6)
  expect(toKilobytes(files)).toBeLessThanOrEqual(70)
})

test('no page but the chat, whose library needs it, loads the schema library', () => {
  const manifest = readManifest()
  const isHeavy = (file: string) => /ZodError/.test(readFileSync(new URL(file, dist), 'utf8'))
  const heavy = findViews(manifest).filter((key) => [...findFiles(manifest, [key])].some(isHeavy))
  expect(heavy).toEqual(['src/views/chat/chat.tsx'])
})

test('each view is loaded when it is opened, and none is larger than 120 kB', () => {
  const manifest = readManifest()
  const shared = findFiles(manifest, findFrame(manifest))
  const views = findViews(manifest)
  expect(views.length).toBeGreaterThan(10)
  const weights = views.map((key) => {
    const files = [...findFiles(manifest, [key])].filter((file) => !shared.has(file))
    return { key, kilobytes: toKilobytes(files) }
  })
  expect(weights.filter(({ kilobytes }) => kilobytes > 120)).toEqual([])
})

test('each file that a page names to the browser is in the build', () => {
  const { files } = JSON.parse(readFileSync(new URL('pages.json', dist), 'utf8')) as { files: Record<string, string[]> }
  const named = Object.values(files).flat()
  expect(named.length).toBeGreaterThan(100)
  expect(named.filter((file) => !existsSync(new URL(file, dist)))).toEqual([])
})

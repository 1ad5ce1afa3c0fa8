import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { extract } from 'tar-stream'
import { expect } from 'vitest'
import type { TestApp, TestBrain } from '../../../test/app.ts'

/** The files of a gzipped tar. */
export const unpack = async (bytes: Uint8Array): Promise<{ path: string; text: string }[]> => {
  const files: { path: string; text: string }[] = []
  const archive = Readable.from([gunzipSync(bytes)]).pipe(extract())
  for await (const entry of archive) files.push({ path: entry.header.name, text: await text(entry) })
  return files
}

/** The files of a Brain's bundle. */
export const pullBundle = async (app: TestApp, { path, key }: TestBrain, query = '') => {
  const answer = await fetch(`${app.base}${path}/bundle${query}`, { headers: { authorization: `Bearer ${key}` } })
  expect(answer.status, query).toBe(200)
  return unpack(new Uint8Array(await answer.arrayBuffer()))
}

/** The part of a file that is the Brain's: everything but ids of this Brain and who wrote it when. */
export const toFile = (files: readonly { path: string; text: string }[], path: string): string => {
  const found = files.find((file) => file.path === path)
  if (!found) throw new Error(`There is no file ${path}: ${files.map((file) => file.path).join(', ')}`)
  return found.text
}

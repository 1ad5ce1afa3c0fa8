import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { pack } from 'tar-stream'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

const root = mkdtempSync(join(tmpdir(), 'noema-bundles-'))
afterAll(() => rmSync(root, { recursive: true }))

type Entry = { name: string; text?: string | Buffer; type?: 'file' | 'symlink' | 'link'; linkname?: string }

const toArchive = async (entries: readonly Entry[]): Promise<Buffer> => {
  const archive = pack()
  for (const { text = '---\ntype: A\n---\n', ...header } of entries)
    archive.entry(
      { ...header, size: header.type === undefined ? Buffer.byteLength(text) : 0 },
      header.type === undefined ? text : '',
    )
  archive.finalize()
  return buffer(archive)
}

const counts = { add: 1, update: 0, unchanged: 0, behind: 0, conflict: 0 }
const item = { path: 'a/b.md', type: 'document', id: 'a/b.md', op: 'add' }
const planned = { outcome: 'planned', change: null, stateVersion: 1, counts, items: [item], skipped: [] }
const change = { id: 'chg_1', decision: 'pending', application: 'not_applied' }

const serve = (more: object = {}) =>
  startScriptedServer(({ body }) => ({
    data: JSON.parse(body).plan
      ? { ...planned, ...more }
      : { ...planned, ...more, outcome: 'staged', change, stateVersion: null },
  }))

const cli = (argv: string[], url: string) => runCli(['bundle', ...argv, '--brain', 'house'], url)

let made = 0
const newFile = (bytes: Uint8Array, end = '.tar.gz'): string => {
  const file = join(root, `${++made}${end}`)
  writeFileSync(file, bytes)
  return file
}

test('BND-10 bundle push plans a folder and then writes it, and leaves links and hidden files out', async () => {
  const folder = join(root, 'handbook')
  mkdirSync(join(folder, 'a'), { recursive: true })
  mkdirSync(join(folder, '.git'))
  writeFileSync(join(folder, 'a', 'b.md'), '---\ntype: A\n---\nÄ\n')
  writeFileSync(join(folder, '.git', 'c.md'), 'x')
  symlinkSync('/etc/passwd', join(folder, 'link.md'))
  const { url, requests } = await serve()
  const { code, stdout, stderr } = await cli(['push', folder, '--review', '--reason', 'Why'], url)
  expect([code, stdout]).toEqual([0, '+ document a/b.md (a/b.md)\n'])
  expect(stderr).toContain('noema changes show chg_1 --brain house')
  const files = [{ path: 'a/b.md', text: '---\ntype: A\n---\nÄ\n' }]
  expect(requests.map(({ body }) => JSON.parse(body))).toEqual([
    { files, source: 'handbook', review: true, reason: 'Why', plan: true },
    { files, source: 'handbook', review: true, reason: 'Why' },
  ])
})

test('BND-10 bundle push writes nothing where an item is in conflict', async () => {
  const { url, requests } = await serve({ counts: { ...counts, conflict: 1 } })
  const file = newFile(gzipSync(await toArchive([{ name: './a/b.md' }])))
  const { code, stderr } = await cli(['push', file], url)
  expect([code, requests.length]).toEqual([5, 1])
  expect(stderr).toContain('Nothing was written')
  expect((await cli(['push', file, '--overwrite'], url)).code).toBe(0)
})

test('BND-11 an archive with anything but texts inside its folder is refused before a request is made', async () => {
  const bomb = gzipSync(Buffer.concat([await toArchive([{ name: 'a.md', text: 'x'.repeat(17 * 1024 * 1024) }])]))
  const hostile: [bytes: Uint8Array, says: string][] = [
    [await toArchive([{ name: '../a.md' }]), 'no path inside a folder'],
    [await toArchive([{ name: '/etc/a.md' }]), 'no path inside a folder'],
    [await toArchive([{ name: 'C:a.md' }]), 'no path inside a folder'],
    [await toArchive([{ name: 'a/../../b.md' }]), 'no path inside a folder'],
    [await toArchive([{ name: 'a.md', type: 'symlink', linkname: '/etc/passwd' }]), 'is a symlink'],
    [await toArchive([{ name: 'a.md', type: 'link', linkname: 'b.md' }]), 'is a link'],
    [await toArchive([{ name: 'a.md' }, { name: './a.md' }]), 'twice'],
    [await toArchive([{ name: 'a.md', text: Buffer.from([0x2d, 0xff, 0xfe]) }]), 'UTF-8'],
    [bomb, 'larger than a bundle may be'],
    [gzipSync(await toArchive([{ name: 'a.md' }])).subarray(0, 60), 'cannot be read as a tar'],
    [Buffer.from('no archive at all'.repeat(100)), 'cannot be read as a tar'],
  ]
  const { url, requests } = await serve()
  for (const [bytes, says] of hostile) {
    const { code, stderr } = await cli(['push', newFile(bytes)], url)
    expect([code, stderr], says).toEqual([2, expect.stringContaining(says)])
  }
  expect(requests).toEqual([])
})

/** A service whose bundle is this archive. */
const serveArchive = async (entries: readonly Entry[]): Promise<string> => {
  const bytes = gzipSync(await toArchive(entries))
  const server = createServer((_request, response) => response.end(bytes))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('BND-10 bundle pull writes a folder, and replaces edited files only by a flag', async () => {
  const folder = join(root, 'pulled')
  const url = await serveArchive([
    { name: 'person/ada.md', text: 'A' },
    { name: 'index.md', text: 'I' },
  ])
  expect((await cli(['pull', folder], url)).code).toBe(0)
  expect(readFileSync(join(folder, 'person/ada.md'), 'utf8')).toBe('A')
  writeFileSync(join(folder, 'person/ada.md'), 'edited')
  rmSync(join(folder, 'index.md'))
  const refused = await cli(['pull', folder], url)
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('person/ada.md')])
  expect(readdirSync(folder)).toEqual(['person'])
  expect((await cli(['pull', folder, '--overwrite'], url)).code).toBe(0)
  expect(readFileSync(join(folder, 'person/ada.md'), 'utf8')).toBe('A')
})

test('BND-11 bundle pull writes nothing of an archive that leads out of its folder', async () => {
  const out = join(root, 'inside', 'house')
  mkdirSync(out, { recursive: true })
  for (const entries of [
    [{ name: 'a.md' }, { name: '../b.md' }],
    [{ name: 'a.md' }, { name: 'link', type: 'symlink' as const, linkname: '/tmp' }],
    [{ name: 'a.md' }, { name: 'A.md' }],
  ]) {
    const { code } = await cli(['pull', out], await serveArchive(entries))
    expect(code).toBe(2)
  }
  expect(existsSync(join(root, 'inside', 'b.md'))).toBe(false)
  expect(readdirSync(out)).toEqual([])
})

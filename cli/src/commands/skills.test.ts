import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { afterAll, expect, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

const root = mkdtempSync(join(tmpdir(), 'noema-skills-'))
afterAll(() => rmSync(root, { recursive: true }))
let made = 0

const newFolder = (files: Record<string, string | Buffer>, name = 'forms') => {
  const folder = join(root, String(++made), name)
  for (const [path, content] of Object.entries({ 'SKILL.md': '---\n', ...files })) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

const file = { documentId: 'd', version: 1, bytes: 1, contentType: 'text/plain' }
const change = { id: 'chg_1', decision: 'approved', application: 'applied' }
const counts = { add: 1, update: 0, retire: 1, unchanged: 1 }
const landed = { outcome: 'landed', change, stateVersion: 2, counts, skill: { name: 'forms', skillVersionId: 'skv_2' } }

/** A service with one skill, which has these texts. */
const serve = (texts: Record<string, string>, put: object = landed) =>
  startScriptedServer(({ method, url = '' }) => {
    if (method === 'PUT') return { data: put }
    const path = /\/files\/([^?]*)/.exec(url)?.[1]
    if (path !== undefined) {
      const text = texts[decodeURIComponent(path)]
      return { data: { file: { ...file, path: decodeURIComponent(path), digest: 'x', text }, stateVersion: 7 } }
    }
    const files = Object.keys(texts).map((one) => ({ ...file, path: one, digest: 'x' }))
    return { data: { skill: { name: 'forms', description: 'd', skillVersionId: 'skv_1', files }, stateVersion: 7 } }
  })

const cli = (argv: string[], url: string) => runCli(['skills', ...argv, '--brain', 'house'], url)

test('SKL-30 skills push sends all texts of a folder, and says which files change', async () => {
  const folder = newFolder({ 'b/c.md': 'Ä', '.git/config': 'x', 'node_modules/x.js': 'x' })
  const { url, requests } = await serve({ 'SKILL.md': '---\n', 'old.md': 'x' })
  const { code, stdout, stderr } = await cli(['push', folder, '--if-match', 'skv_1', '--reason', 'Why'], url)
  expect([code, stdout]).toEqual([0, '~ SKILL.md\n+ b/c.md\n- old.md\n'])
  expect(stderr).toContain('1 added, 0 updated, 1 retired')
  const sent = requests.at(-1)
  expect([sent?.method, sent?.url]).toEqual(['PUT', '/v1/brains/house/skills/forms'])
  const body = JSON.parse(sent?.body ?? '')
  expect(body).toMatchObject({ ifMatch: 'skv_1', reason: 'Why' })
  expect(body.files.map(({ path }: { path: string }) => path).toSorted()).toEqual(['SKILL.md', 'b/c.md'])
})

test('SKL-30 skills push says that a change waits for review, or that nothing differs', async () => {
  const folder = newFolder({})
  const staged = await serve({}, { ...landed, outcome: 'staged', stateVersion: null })
  expect((await cli(['push', folder], staged.url)).stderr).toContain('noema changes show chg_1 --brain house')
  const same = await serve({}, { ...landed, change: null })
  expect((await cli(['push', folder], same.url)).stderr).toContain('Nothing differs')
})

test('SKL-30 skills push refuses what is no text, no skill, or too much, and sends nothing', async () => {
  const { url, requests } = await serve({})
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`${at}.md`, 'x']))
  for (const folder of [
    newFolder({ 'x.png': Buffer.from([0x89, 0x50, 0xff, 0xfe]) }),
    newFolder({ 'x.md': 'x'.repeat(1024 * 1024 + 1) }),
    newFolder(many),
    join(root, 'nowhere'),
    root,
  ])
    expect((await cli(['push', folder], url)).code, folder).toBe(2)
  expect(requests).toHaveLength(0)
})

test('SKL-31 skills pull writes all files at one state, and replaces local edits only with --overwrite', async () => {
  const { url, requests } = await serve({ 'SKILL.md': 'Main', 'a/b.md': 'B' })
  const folder = join(root, String(++made), 'forms')
  const { code, stderr } = await cli(['pull', 'forms', folder], url)
  expect([code, readFileSync(join(folder, 'a/b.md'), 'utf8')]).toEqual([0, 'B'])
  expect(stderr).toContain('--if-match skv_1')
  expect(requests.filter(({ url: path }) => path?.includes('/files/')).map(({ url: path }) => path)).toEqual([
    '/v1/brains/house/skills/forms/files/SKILL.md?asOf=7',
    '/v1/brains/house/skills/forms/files/a%2Fb.md?asOf=7',
  ])
  expect((await cli(['pull', 'forms', folder], url)).code).toBe(0)
  writeFileSync(join(folder, 'a/b.md'), 'Edited')
  const refused = await cli(['pull', 'forms', folder], url)
  expect([refused.code, refused.stderr.includes('a/b.md')]).toEqual([2, true])
  expect(readFileSync(join(folder, 'a/b.md'), 'utf8')).toBe('Edited')
  expect((await cli(['pull', 'forms', folder, '--overwrite'], url)).code).toBe(0)
  expect(readFileSync(join(folder, 'a/b.md'), 'utf8')).toBe('B')
})

test('SKL-31 skills pull never writes outside of its folder, by a path or through a link', async () => {
  for (const path of ['../out.md', '/tmp/out.md', 'a/../../out.md', 'a\\out.md', 'C:/out.md']) {
    const { url } = await serve({ 'SKILL.md': 'Main', [path]: 'Out' })
    const folder = join(root, String(++made), 'forms')
    expect((await cli(['pull', 'forms', folder, '--overwrite'], url)).code, path).toBe(2)
    expect([existsSync(join(folder, 'SKILL.md')), existsSync(join(folder, '../out.md'))]).toEqual([false, false])
  }
  const outside = newFolder({ 'x.md': 'Kept' })
  const folder = newFolder({})
  symlinkSync(outside, join(folder, 'link'))
  symlinkSync(join(outside, 'x.md'), join(folder, 'file.md'))
  for (const path of ['link/x.md', 'file.md']) {
    const { url } = await serve({ [path]: 'Out' })
    expect((await cli(['pull', 'forms', folder, '--overwrite'], url)).code, path).toBe(2)
  }
  expect(readFileSync(join(outside, 'x.md'), 'utf8')).toBe('Kept')
})

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemTiming } from '@noema/sdk/timing.ts'
import { addBrain, createMember, type TestMember } from '@noema/server/test/app.ts'
import { useApp } from '@noema/server/test/harness.ts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { makePdf } from '../../../bench/parts/sample-files.ts'
import { runCli } from '../test/run-cli.ts'

// Files of an organization and folders with files, by the command line, against the service itself.

const app = useApp()
let member: TestMember
let cwd: string
beforeAll(async () => {
  member = await createMember(app)
  cwd = await mkdtemp(join(tmpdir(), 'noema-files-'))
})
afterAll(() => rm(cwd, { recursive: true }))

const cli = (argv: string[], key = member.key) =>
  runCli(argv, app.base, { cwd, timing: systemTiming, env: { NOEMA_BASE_URL: app.base, NOEMA_API_KEY: key } })

const csv = 'month,orders\nJuly,12\n'

test('FIL-13 files are uploaded, listed, downloaded, linked and deleted by path or id, and become documents', async () => {
  const brain = await addBrain(app, member, 'finance')
  await writeFile(join(cwd, 'q3.csv'), csv)
  const sent = await cli(['files', 'upload', 'q3.csv', '--path', 'reports/q3.csv', '--brain', 'finance', '--id', 'q3'])
  expect(sent).toMatchObject({ code: 0, stdout: 'q3\n' })
  expect((await brain.call('GET', '/documents/q3')).body.data.document).toMatchObject({
    ...{ text: '| month | orders |\n| --- | --- |\n| July | 12 |', artifact: { path: 'reports/q3.csv', version: 1 } },
  })
  await writeFile(join(cwd, 'q3.csv'), `${csv}August,13\n`)
  const id = (await cli(['files', 'upload', 'q3.csv', '--path', 'reports/q3.csv'])).stdout.trim()
  expect((await cli(['files', 'list', 'reports/'])).stdout).toMatch(new RegExp(`^${id}\t2\t31\t.*\treports/q3.csv\n$`))
  expect((await cli(['files', 'list', '--versions', 'reports/q3.csv'])).stdout.split('\n')).toHaveLength(3)
  expect((await cli(['files', 'download', id, '--output', 'got.csv', '--file-version', '1'])).code).toBe(0)
  expect(await readFile(join(cwd, 'got.csv'), 'utf8')).toBe(csv)
  expect(await cli(['files', 'download', 'reports/q3.csv'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--output'),
  })
  expect((await cli(['files', 'download', 'reports/q3.csv', '--output', '-'])).stdout).toBe(`${csv}August,13\n`)
  expect((await cli(['files', 'text', 'reports/q3.csv', '--file-version', '1'])).stdout).toBe(
    '| month | orders |\n| --- | --- |\n| July | 12 |\n',
  )
  expect(await cli(['files', 'text', 'reports/q3.csv', '--page', '1'])).toMatchObject({
    ...{ code: 6, stderr: expect.stringContaining('no pages') },
  })
  const link = (await cli(['files', 'link', 'reports/q3.csv', '--seconds', '60'])).stdout.trim()
  expect(await (await fetch(`${app.base}${new URL(link).pathname}${new URL(link).search}`)).text()).toContain('August')
  expect(await cli(['files', 'delete', id])).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
  expect((await cli(['files', 'delete', id, '--yes'])).code).toBe(0)
  expect((await cli(['files', 'download', 'reports/q3.csv'])).stderr).toContain('no file')
  expect((await cli(['files', 'upload', 'none.pdf'])).code).toBe(2)
})

test('FIL-13 a download that breaks off leaves no part of a file, and keeps the one that it was to replace', async () => {
  await writeFile(join(cwd, 'kept.csv'), csv)
  const artifact = { id: 'art_1', path: 'broken.csv', version: 1 }
  const server = createServer(({ url }, response) => {
    if (!url?.includes('/content')) return response.end(JSON.stringify({ data: { artifact, artifacts: [artifact] } }))
    response.writeHead(200, { 'content-length': 1_000 })
    return response.write('a part', () => response.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const before = await readdir(cwd)
  for (const more of [[], ['--output', 'kept.csv']]) {
    const { code } = await runCli(['files', 'download', 'art_1', ...more], base, {
      ...{ cwd, timing: systemTiming, env: { NOEMA_BASE_URL: base, NOEMA_API_KEY: member.key } },
    })
    expect(code).not.toBe(0)
  }
  expect(await readdir(cwd)).toEqual(before)
  expect(await readFile(join(cwd, 'kept.csv'), 'utf8')).toBe(csv)
})

test('FIL-13 the text of one page of a file, or of the whole file, is printed', async () => {
  await writeFile(join(cwd, 'book.pdf'), makePdf(['One.', 'Two.', 'Three.'].map((text) => [{ text, y: 740 }])))
  await cli(['files', 'upload', 'book.pdf'])
  expect((await cli(['files', 'text', 'book.pdf', '--page', '2'])).stdout.trim()).toBe('Two.')
  expect((await cli(['files', 'text', 'book.pdf'])).stdout).toMatch(/^One\.\n+Two\.\n+Three\.\n$/)
  expect(JSON.parse((await cli(['files', 'text', 'book.pdf', '--page', '3', '--json'])).stdout)).toMatchObject({
    artifact: { path: 'book.pdf', version: 1 },
    text: expect.stringContaining('Three.'),
  })
})

test('FIL-13 a folder with files is synced: unchanged ones are not sent again, a bad one is skipped, a removed one retires', async () => {
  const folder = join(cwd, 'handbook')
  await mkdir(folder)
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'a.md'), '# A\n')
  await writeFile(join(folder, 'b.csv'), csv)
  await writeFile(join(folder, 'c.html'), '<h1>Leave</h1><p>Thirty days.</p>')
  await writeFile(join(folder, 'd.pdf'), 'no PDF')
  const sync = async (...more: string[]) => {
    const ended = await cli(['sync', 'handbook', '--brain', 'handbook', '--create', '--json', ...more])
    return { code: ended.code, ...(ended.stdout === '' ? { stderr: ended.stderr } : JSON.parse(ended.stdout)) }
  }
  expect(await sync()).toMatchObject({
    ...{ code: 0, files: 3, created: 3, skipped: [{ file: 'd.pdf', reason: expect.stringContaining('is broken') }] },
  })
  const listed = await app.request('GET', '/v1/artifacts?prefix=handbook/', { key: member.key })
  const shown = listed.body.data.artifacts.map(({ path, source }: { path: string; source: string }) => [path, source])
  expect(shown).toEqual(['b.csv', 'c.html', 'd.pdf'].map((name) => [`handbook/${name}`, 'folder']))
  const read = await app.request('GET', '/v1/brains/handbook/documents/handbook%2Fc.html', { key: member.key })
  expect(read.body.data.document).toMatchObject({
    ...{ text: '# Leave\n\nThirty days.', title: 'Leave', source: { name: 'handbook', externalId: 'c.html' } },
    ...{ artifact: { path: 'handbook/c.html', version: 1 } },
  })
  expect(await sync()).toMatchObject({ created: 0, updated: 0, unchanged: 3 })
  await writeFile(join(folder, 'b.csv'), `${csv}August,13\n`)
  await rm(join(folder, 'c.html'))
  expect(await sync('--yes')).toMatchObject({ created: 0, updated: 1, retired: 1, unchanged: 1 })
  const minted = await app.request('POST', '/v1/brains/handbook/keys', {
    key: member.key,
    body: { name: 'k', capabilities: ['read', 'write'] },
  })
  const byBrainKey = await cli(['sync', 'handbook', '--brain', 'handbook', '--json'], minted.body.data.secret)
  expect(JSON.parse(byBrainKey.stdout)).toMatchObject({ retired: 0, skipped: [{ file: 'b.csv' }, { file: 'd.pdf' }] })
})

import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { testTiming } from '@noema/sdk/test/test-timing.ts'
import { expect, test } from 'vitest'
import { runCli, sink } from '../test/run-cli.ts'
import { makeFolder, startBrain, sync } from '../test/scripted-brain.ts'

test('files become documents with an id, a title, a content type and a source', async () => {
  const { url, parts } = await startBrain()
  const folder = await makeFolder({
    'guide/Über uns.md': '---\n# not this\n---\n\n## About us ##\ntext',
    'notes.TXT': '# no heading in plain text',
    'a.png': 'no',
  })
  const ended = await runCli(sync('.', '--json'), url, { cwd: folder })
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(ended.stdout)).toEqual({
    files: 2,
    created: 2,
    updated: 0,
    retired: 0,
    unchanged: 0,
    staged: 0,
    skipped: [],
    stateVersion: 1,
  })
  expect(parts).toEqual([
    {
      complete: true,
      items: [
        {
          id: 'wiki/guide/Über uns.md',
          text: '---\n# not this\n---\n\n## About us ##\ntext',
          title: 'About us',
          contentType: 'text/markdown',
          externalId: 'guide/Über uns.md',
        },
        {
          id: 'wiki/notes.TXT',
          text: '# no heading in plain text',
          title: 'notes.TXT',
          contentType: 'text/plain',
          externalId: 'notes.TXT',
        },
      ],
    },
  ])
})

test('a repeat writes only what changed, and says so', async () => {
  const { url, applies } = await startBrain()
  const folder = await makeFolder({ 'a.md': 'a', 'b.md': 'b' })
  await runCli(sync(folder), url)
  const same = await runCli(sync(folder), url)
  expect(same).toMatchObject({ stdout: '', stderr: '2 files: 0 created, 0 updated, 2 unchanged; state version 1.\n' })
  await writeFile(join(folder, 'a.md'), 'A')
  const changed = await runCli(sync(folder, '--json'), url)
  expect(JSON.parse(changed.stdout)).toMatchObject({ created: 0, updated: 1, unchanged: 1, stateVersion: 2 })
  expect(applies).toHaveLength(2)
})

test('writes that a Brain stages for review are counted as staged', async () => {
  const { url } = await startBrain({ mode: 'review' })
  const ended = await runCli(sync(await makeFolder({ 'a.md': 'a' })), url)
  expect(ended.stderr).toBe(
    '1 file: 0 created, 0 updated, 0 unchanged, 1 staged for review.\nThe change chg_1 waits for review.\n',
  )
})

test('the source has the name of the folder by default', async () => {
  const { url, parts } = await startBrain()
  const folder = await makeFolder({ 'handbook/a.md': 'a' })
  await runCli(['sync', 'handbook/', '--brain', 'crm'], url, { cwd: folder })
  expect(parts[0]?.items[0]?.id).toBe('handbook/a.md')
})

test('dot folders, node_modules and links out of the folder are not read', async () => {
  const { url, parts } = await startBrain()
  const outside = await makeFolder({ 'secret.md': 'secret' })
  const folder = await makeFolder({ 'a.md': 'a', '.git/b.md': 'b', 'node_modules/c/d.md': 'd', 'sub/e.md': 'e' })
  await symlink(join(outside, 'secret.md'), join(folder, 'leak.md'))
  await symlink(outside, join(folder, 'leaks'))
  await symlink(folder, join(folder, 'circle'))
  await symlink(join(folder, 'sub/e.md'), join(folder, 'inside.md'))
  const ended = await runCli(sync(folder, '--json'), url)
  expect(parts.flatMap(({ items }) => items).map(({ id }) => id)).toEqual([
    'wiki/a.md',
    'wiki/inside.md',
    'wiki/sub/e.md',
  ])
  const reason = 'is a link that leads out of the folder'
  expect(JSON.parse(ended.stdout).skipped).toEqual([
    { file: 'leak.md', reason },
    { file: 'leaks', reason },
  ])
})

test('a folder that is itself inside node_modules is read', async () => {
  const { url, parts } = await startBrain()
  const folder = await makeFolder({ 'node_modules/pkg/readme.md': 'a' })
  await runCli(sync(join(folder, 'node_modules/pkg')), url)
  expect(parts.flatMap(({ items }) => items)).toHaveLength(1)
})

test('files that are no text are skipped with a reason, and the others are still written', async () => {
  const { url } = await startBrain()
  const folder = await makeFolder({
    'good.md': 'good',
    'latin.txt': Uint8Array.of(0x66, 0xfc, 0x72),
    'nul.md': 'a\0b',
    'large.txt': 'x'.repeat(10 * 1024 * 1024 + 1),
    'escapes.txt': '\u0001'.repeat(3 * 1024 * 1024),
  })
  const ended = await runCli(sync(folder), url)
  expect(ended.code).toBe(0)
  expect(ended.stderr.trimEnd().split('\n')).toEqual([
    'skipped escapes.txt: is too large for one request',
    'skipped large.txt: is larger than 10 MiB',
    'skipped latin.txt: is not valid UTF-8',
    'skipped nul.md: contains a NUL character, so it is not a text',
    '1 file: 1 created, 0 updated, 0 unchanged, 4 skipped; state version 1.',
  ])
})

test('when nothing could be read the exit code is 1', async () => {
  const { url, requests } = await startBrain()
  expect((await runCli(sync(await makeFolder({ 'a.md': '\0' })), url)).code).toBe(1)
  expect(requests).toEqual([])
})

test('a folder without text files, or none at all, is a usage error', async () => {
  const { url } = await startBrain()
  const empty = await runCli(sync(await makeFolder({ 'a.png': 'no' })), url)
  expect(empty.code).toBe(2)
  expect(empty.stderr).toContain('There are no files to sync in')
  expect((await runCli(sync('/nowhere/at/all'), url)).code).toBe(2)
})

test('a large folder goes up in parts of at most 500 documents and about 4 MiB, and the last completes it', async () => {
  const { url, parts } = await startBrain()
  const small = Object.fromEntries(
    Array.from({ length: 501 }, (_, index) => [`s/${String(index).padStart(3, '0')}.md`, 'x']),
  )
  const large = Object.fromEntries(['a', 'b', 'c'].map((name) => [`l/${name}.txt`, 'x'.repeat(2.5 * 1024 * 1024)]))
  await runCli(sync(await makeFolder({ ...small, ...large })), url)
  expect(parts.map(({ items, complete, snapshot }) => [items.length, complete, snapshot])).toEqual([
    [1, false, undefined],
    [1, false, 'snp_1'],
    [500, false, 'snp_1'],
    [2, true, 'snp_1'],
  ])
})

test('an id of more than 200 characters keeps its beginning, and its tail is hashed the same way each time', async () => {
  const { url, parts } = await startBrain()
  const folder = await makeFolder({ [`${'long/'.repeat(50)}a.md`]: 'a', [`${'long/'.repeat(50)}b.md`]: 'b' })
  await runCli(sync(folder), url)
  await runCli(sync(folder), url)
  const [first, second] = parts.map(({ items }) => items.map(({ id }) => id))
  expect(first?.map((id) => id.length)).toEqual([200, 200])
  expect(first?.[0]).toMatch(/^wiki\/long\/.*~[0-9a-f]{32}$/)
  expect(new Set(first).size).toBe(2)
  expect(second).toEqual(first)
})

test('--create creates a missing Brain once and continues; without it the error says to add it', async () => {
  const { url, requests } = await startBrain({ isMissing: true })
  const folder = await makeFolder({ 'a.md': 'a' })
  const refused = await runCli(sync(folder), url)
  expect(refused.code).toBe(4)
  expect(refused.stderr).toContain('Add --create')
  expect((await runCli(sync(folder, '--create'), url)).code).toBe(0)
  expect(requests.map(({ method }) => method)).toEqual(['POST', 'POST', 'PUT', 'POST', 'POST'])
})

test('a Brain key that should create a Brain exits 3 and names the required key', async () => {
  const { url } = await startScriptedServer(({ method }) =>
    method === 'PUT'
      ? { status: 401, error: { kind: 'unauthorized', message: 'This needs a management key.' } }
      : { status: 404, error: { kind: 'not_found', message: 'There is no such Brain.' } },
  )
  const ended = await runCli(sync(await makeFolder({ 'a.md': 'a' }), '--create'), url)
  expect(ended.code).toBe(3)
  expect(ended.stderr).toContain('A Brain key cannot create the Brain "crm"')
})

test('Ctrl-C exits 130', async () => {
  const interruption = new AbortController()
  const { url } = await startScriptedServer(() => {
    interruption.abort()
    return 'hang'
  })
  const ended = await runCli(sync(await makeFolder({ 'a.md': 'a' })), url, { signal: interruption.signal })
  expect(ended).toMatchObject({ code: 130, stdout: '', stderr: '' })
})

/** A clock that moves by the length of each sleep. */
const movingTiming = () => {
  let now = 0
  const { timing } = testTiming()
  return {
    ...timing,
    now: () => now,
    sleep: async (ms: number) => {
      now += ms
    },
  }
}

test('--wait says every few seconds what is indexed, what remains, and how long that takes', async () => {
  // Every half second one passage is embedded; after the fifth look, others write more.
  const pending = [30, 30, 29, 28, 27, 26, 35, ...Array.from({ length: 35 }, (_, done) => 34 - done)]
  const { url } = await startBrain({ pending })
  const ended = await runCli(sync(await makeFolder({ 'a.md': 'a' }), '--wait'), url, { timing: movingTiming() })
  expect(ended.stderr.split('\n')).toEqual([
    'indexing: 0 of 30',
    'indexing: 5 of 35, about 15 s left',
    'indexing: 15 of 35, about 10 s left',
    'indexing: 25 of 35, about 5 s left',
    '1 file: 1 created, 0 updated, 0 unchanged; state version 1.',
    '',
  ])
})

test('--wait with --json keeps standard error to errors', async () => {
  const { url } = await startBrain({ pending: [2, 2, 1] })
  const folder = await makeFolder({ 'a.md': 'a' })
  expect(await runCli(sync(folder, '--wait', '--json'), url)).toMatchObject({ code: 0, stderr: '' })
})

test('--wait draws a bar at a terminal', async () => {
  const { url } = await startBrain({ pending: [40, 40, 30, 20] })
  const { output, text } = sink()
  const stderr = Object.assign(output, { isTTY: true, columns: 80, cursorTo: () => true, clearLine: () => true })
  await runCli(sync(await makeFolder({ 'a.md': 'a' }), '--wait'), url, { timing: movingTiming(), stderr })
  expect(text()).toMatch(/indexing .*0\/40/)
})

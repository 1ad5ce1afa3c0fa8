import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type SeenRequest, startFarEnd } from '@noema/sdk/test/far-end.ts'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

type Item = { id: string; text: string; title: string; contentType: string; externalId: string }

const folderOf = async (files: Record<string, string | Uint8Array>) => {
  const folder = await mkdtemp(join(tmpdir(), 'noema-sync-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  return folder
}

/** A service that remembers the documents of one source by id, as far as `sync` can see; it has the Brain unless `isMissing`. */
const startBrain = async ({ isMissing = false, mode = 'direct', refusal = '' } = {}) => {
  const texts = new Map<string, string>()
  const parts: { items: Item[]; complete: boolean; snapshot?: string }[] = []
  const applies: object[] = []
  let exists = !isMissing
  let stateVersion = 0
  let gathered = new Map<string, string>()
  let retired: string[] = []
  const counts = { add: 0, update: 0, retire: 0, unchanged: 0 }
  const snapshot = () => ({
    ...{ snapshot: 'snp_1', source: 'wiki', planRevision: parts.length, counts, conflicts: 0 },
    guard: { served: texts.size, mostRetired: 50, needsAllowRetire: counts.retire > 50 },
  })
  const plan = ({ items, complete, snapshot: given }: (typeof parts)[number]) => {
    if (given === undefined) gathered = new Map()
    for (const { id, text } of items) gathered.set(id, text)
    const ids = [...gathered.keys()]
    retired = complete ? [...texts.keys()].filter((id) => !gathered.has(id)) : []
    counts.add = ids.filter((id) => !texts.has(id)).length
    counts.unchanged = ids.filter((id) => texts.get(id) === gathered.get(id)).length
    counts.update = ids.length - counts.add - counts.unchanged
    counts.retire = retired.length
    return { data: { snapshot: snapshot(), stateVersion } }
  }
  const apply = () => {
    if (refusal) return { status: 409, error: { kind: 'conflict', code: refusal, message: 'No.' } }
    const outcome = mode === 'review' ? 'staged' : 'landed'
    if (outcome === 'staged')
      return { data: { outcome, change: { id: 'chg_1' }, stateVersion: null, snapshot: snapshot() } }
    for (const [id, text] of gathered) texts.set(id, text)
    for (const id of retired) texts.delete(id)
    stateVersion++
    return { data: { outcome, change: { id: 'chg_1' }, stateVersion, snapshot: snapshot() } }
  }
  const { url, requests } = await startFarEnd(({ method, url: path, body }: SeenRequest) => {
    if (method === 'PUT') {
      exists = true
      return { status: 201, data: { brain: {} } }
    }
    if (!exists) return { status: 404, error: { kind: 'not_found', message: 'There is no such Brain.' } }
    if (method === 'GET') {
      const { op } = Object.fromEntries(new URL(path, 'http://x').searchParams)
      const ids = op === 'retire' ? retired : op === 'add' ? [...gathered.keys()] : []
      return { data: { snapshot: snapshot(), items: ids.map((id) => ({ id, op })), cursor: 'c', hasMore: false } }
    }
    const given = JSON.parse(body)
    if (path.endsWith('/apply')) {
      applies.push(given)
      return apply()
    }
    parts.push(given)
    return plan(given)
  })
  return { url, requests, parts, applies }
}

const sync = (folder: string, ...more: string[]) => ['sync', folder, '--brain', 'crm', '--source', 'wiki', ...more]

test('files become documents with an id, a title, a content type and a source', async () => {
  const { url, parts } = await startBrain()
  const folder = await folderOf({
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
  const folder = await folderOf({ 'a.md': 'a', 'b.md': 'b' })
  await runCli(sync(folder), url)
  const same = await runCli(sync(folder), url)
  expect(same).toMatchObject({ stdout: '', stderr: '2 files: 0 created, 0 updated, 2 unchanged; state version 1.\n' })
  await writeFile(join(folder, 'a.md'), 'A')
  const changed = await runCli(sync(folder, '--json'), url)
  expect(JSON.parse(changed.stdout)).toMatchObject({ created: 0, updated: 1, unchanged: 1, stateVersion: 2 })
  expect(applies).toHaveLength(2)
})

const deletion = async () => {
  const brain = await startBrain()
  const folder = await folderOf({ 'a.md': 'a', 'b.md': 'b' })
  await runCli(sync(folder), brain.url)
  await rm(join(folder, 'b.md'))
  return { ...brain, folder }
}

test('the document of a deleted file is retired after a yes at the terminal, which names it', async () => {
  const { url, folder, applies } = await deletion()
  const questions: string[] = []
  const answer = (yes: boolean) => async (question: string) => {
    questions.push(question)
    return yes
  }
  const refused = await runCli(sync(folder), url, { ask: answer(false) })
  expect(refused).toMatchObject({ code: 0, stdout: '' })
  expect(refused.stderr).toBe(
    'wiki: 0 to add, 0 to update, 1 to retire, 1 unchanged.\n  retire wiki/b.md\nNothing was written.\n',
  )
  expect(applies).toHaveLength(1)
  const done = await runCli(sync(folder), url, { ask: answer(true) })
  expect(done.stderr).toContain('1 file: 0 created, 0 updated, 1 unchanged, 1 retired; state version 2.')
  expect(questions).toEqual(Array(2).fill('Retire 1 of the 2 documents of wiki?'))
})

test('without a terminal retiring needs --yes, and the refusal says so', async () => {
  const { url, folder, applies } = await deletion()
  const refused = await runCli(sync(folder), url)
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toContain('1 to retire')
  expect(refused.stderr).toContain('--yes')
  expect(applies).toHaveLength(1)
  const ended = await runCli(sync(folder, '--yes', '--json'), url)
  expect(JSON.parse(ended.stdout)).toMatchObject({ files: 1, retired: 1, unchanged: 1, stateVersion: 2 })
})

test('--no-retire keeps the documents of deleted files', async () => {
  const { url, folder, applies, parts } = await deletion()
  const ended = await runCli(sync(folder, '--no-retire'), url)
  expect(ended).toMatchObject({ code: 0, stderr: '1 file: 0 created, 0 updated, 1 unchanged; state version 1.\n' })
  expect(parts.at(-1)?.complete).toBe(false)
  expect(applies).toHaveLength(1)
})

test('nothing is retired while a part of the folder cannot be read', async () => {
  const { url, folder, parts } = await deletion()
  await symlink(join(folder, 'nowhere.md'), join(folder, 'broken.md'))
  const ended = await runCli(sync(folder), url)
  expect(ended.code).toBe(0)
  expect(ended.stderr).toContain('No document is retired, because not all of the folder could be read.')
  expect(parts.at(-1)?.complete).toBe(false)
})

test('--plan lists what would change and writes nothing', async () => {
  const { url, folder, applies } = await deletion()
  const ended = await runCli(sync(folder, '--plan'), url)
  expect(ended).toEqual({
    code: 0,
    stdout: '  retire wiki/b.md\n',
    stderr: 'wiki: 0 to add, 0 to update, 1 to retire, 1 unchanged.\n',
  })
  const asJson = await runCli(sync(folder, '--plan', '--json'), url)
  expect(JSON.parse(asJson.stdout)).toMatchObject({ snapshot: 'snp_1', counts: { retire: 1 }, skipped: [] })
  expect(applies).toHaveLength(1)
})

test.each([
  ['retire_guard', 'Add --allow-retire'],
  ['stale_plan', 'run the sync again'],
])('a refusal as %s exits 5 and says what to do', async (refusal, hint) => {
  const { url } = await startBrain({ refusal })
  const ended = await runCli(sync(await folderOf({ 'a.md': 'a' }), '--yes'), url)
  expect(ended.code).toBe(5)
  expect(ended.stderr).toContain(hint)
})

test('--allow-retire is passed on', async () => {
  const { url, applies } = await startBrain()
  await runCli(sync(await folderOf({ 'a.md': 'a' }), '--allow-retire'), url)
  expect(applies).toEqual([{ planRevision: 1, allowRetire: true }])
})

test('what a Brain stages for review is counted as staged', async () => {
  const { url } = await startBrain({ mode: 'review' })
  const ended = await runCli(sync(await folderOf({ 'a.md': 'a' })), url)
  expect(ended.stderr).toBe(
    '1 file: 0 created, 0 updated, 0 unchanged, 1 staged for review.\nThe change chg_1 waits for review.\n',
  )
})

test('the source is named after the folder unless told', async () => {
  const { url, parts } = await startBrain()
  const folder = await folderOf({ 'handbook/a.md': 'a' })
  await runCli(['sync', 'handbook/', '--brain', 'crm'], url, { cwd: folder })
  expect(parts[0]?.items[0]?.id).toBe('handbook/a.md')
})

test('dot folders, node_modules and links out of the folder are not read', async () => {
  const { url, parts } = await startBrain()
  const outside = await folderOf({ 'secret.md': 'secret' })
  const folder = await folderOf({ 'a.md': 'a', '.git/b.md': 'b', 'node_modules/c/d.md': 'd', 'sub/e.md': 'e' })
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
  const folder = await folderOf({ 'node_modules/pkg/readme.md': 'a' })
  await runCli(sync(join(folder, 'node_modules/pkg')), url)
  expect(parts.flatMap(({ items }) => items)).toHaveLength(1)
})

test('files that are no text are skipped with a reason, and the others are still written', async () => {
  const { url } = await startBrain()
  const folder = await folderOf({
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
    'skipped nul.md: contains NUL, so it is no text',
    '1 file: 1 created, 0 updated, 0 unchanged, 4 skipped; state version 1.',
  ])
})

test('when nothing could be read the exit code is 1', async () => {
  const { url, requests } = await startBrain()
  expect((await runCli(sync(await folderOf({ 'a.md': '\0' })), url)).code).toBe(1)
  expect(requests).toEqual([])
})

test('a folder without text files, or none at all, is a usage error', async () => {
  const { url } = await startBrain()
  const empty = await runCli(sync(await folderOf({ 'a.png': 'no' })), url)
  expect(empty.code).toBe(2)
  expect(empty.stderr).toContain('holds no files to sync')
  expect((await runCli(sync('/nowhere/at/all'), url)).code).toBe(2)
})

test('a large folder goes up in parts of at most 500 documents and about 4 MiB, and the last completes it', async () => {
  const { url, parts } = await startBrain()
  const small = Object.fromEntries(
    Array.from({ length: 501 }, (_, index) => [`s/${String(index).padStart(3, '0')}.md`, 'x']),
  )
  const large = Object.fromEntries(['a', 'b', 'c'].map((name) => [`l/${name}.txt`, 'x'.repeat(2.5 * 1024 * 1024)]))
  await runCli(sync(await folderOf({ ...small, ...large })), url)
  expect(parts.map(({ items, complete, snapshot }) => [items.length, complete, snapshot])).toEqual([
    [1, false, undefined],
    [1, false, 'snp_1'],
    [500, false, 'snp_1'],
    [2, true, 'snp_1'],
  ])
})

test('an id of more than 200 characters keeps its beginning, and its tail is hashed the same way each time', async () => {
  const { url, parts } = await startBrain()
  const folder = await folderOf({ [`${'long/'.repeat(50)}a.md`]: 'a', [`${'long/'.repeat(50)}b.md`]: 'b' })
  await runCli(sync(folder), url)
  await runCli(sync(folder), url)
  const [first, second] = parts.map(({ items }) => items.map(({ id }) => id))
  expect(first?.map((id) => id.length)).toEqual([200, 200])
  expect(first?.[0]).toMatch(/^wiki\/long\/.*~[0-9a-f]{32}$/)
  expect(new Set(first).size).toBe(2)
  expect(second).toEqual(first)
})

test('--create creates a missing Brain once and goes on; without it the error says to add it', async () => {
  const { url, requests } = await startBrain({ isMissing: true })
  const folder = await folderOf({ 'a.md': 'a' })
  const refused = await runCli(sync(folder), url)
  expect(refused.code).toBe(4)
  expect(refused.stderr).toContain('Add --create')
  expect((await runCli(sync(folder, '--create'), url)).code).toBe(0)
  expect(requests.map(({ method }) => method)).toEqual(['POST', 'POST', 'PUT', 'POST', 'POST'])
})

test('a Brain key that should create a Brain exits 3 and says what is needed', async () => {
  const { url } = await startFarEnd(({ method }) =>
    method === 'PUT'
      ? { status: 401, error: { kind: 'unauthorized', message: 'This needs a management key.' } }
      : { status: 404, error: { kind: 'not_found', message: 'There is no such Brain.' } },
  )
  const ended = await runCli(sync(await folderOf({ 'a.md': 'a' }), '--create'), url)
  expect(ended.code).toBe(3)
  expect(ended.stderr).toContain('A Brain key cannot create the Brain "crm"')
})

test('Ctrl-C exits 130', async () => {
  const interruption = new AbortController()
  const { url } = await startFarEnd(() => {
    interruption.abort()
    return 'hang'
  })
  const ended = await runCli(sync(await folderOf({ 'a.md': 'a' })), url, { signal: interruption.signal })
  expect(ended).toMatchObject({ code: 130, stdout: '', stderr: '' })
})

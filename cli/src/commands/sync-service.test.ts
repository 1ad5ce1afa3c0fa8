import { appendFile, cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemTiming } from '@noema/sdk/timing.ts'
import { addBrain, createBrain, type TestBrain } from '@noema/server/test/app.ts'
import { useApp } from '@noema/server/test/harness.ts'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

// The command against the real service, on the documentation of a package.

const documentation = fileURLToPath(new URL('../../../node_modules/fastify/docs', import.meta.url))

const app = useApp()
let owner: TestBrain
beforeAll(async () => {
  owner = await createBrain(app, 'owner')
})

const copyDocumentation = async () => {
  const place = await mkdtemp(join(tmpdir(), 'noema-sync-'))
  onTestFinished(() => rm(place, { recursive: true }))
  const folder = join(place, 'docs')
  await cp(documentation, folder, { recursive: true })
  const names = await readdir(folder, { recursive: true })
  return { folder, files: names.filter((name) => name.endsWith('.md')).sort() }
}

const sync = async (folder: string, brain: string, ...more: string[]) => {
  const ended = await runCli(['sync', folder, '--brain', brain, '--json', ...more], app.base, {
    timing: systemTiming,
    env: { NOEMA_BASE_URL: app.base, NOEMA_API_KEY: owner.key },
  })
  return { ...ended, summary: ended.stdout === '' ? undefined : JSON.parse(ended.stdout) }
}

type Event = { type: string; data: { document?: { id: string }; version?: number; change?: string } }

const listEvents = async ({ call }: TestBrain): Promise<Event[]> =>
  (await call('GET', '/events?limit=500')).body.data.events

const listDocuments = async ({ call }: TestBrain): Promise<{ id: string; version: number }[]> =>
  (await call('GET', '/documents?limit=500')).body.data.documents

/** Edits 20 files, removes 5 and adds 3. */
const editFolder = async ({ folder, files }: Awaited<ReturnType<typeof copyDocumentation>>) => {
  const [edited, removed] = [files.slice(0, 20), files.slice(20, 25)]
  const added = ['new-1.md', 'new-2.md', 'new-3.md']
  for (const file of edited) await appendFile(join(folder, file), '\nOne more line.\n')
  for (const file of removed) await rm(join(folder, file))
  for (const file of added) await writeFile(join(folder, file), `# ${file}\n`)
  return { edited, removed, added }
}

const documentIds = (files: readonly string[]) => files.map((file) => `docs/${file}`).sort()

test('D-60 a folder is served completely, a repeat writes nothing, and an edit writes exactly its change', async () => {
  const copy = await copyDocumentation()
  const count = copy.files.length
  const first = await sync(copy.folder, 'direct', '--create')
  expect(first).toMatchObject({ code: 0, summary: { files: count, created: count, stateVersion: 1 } })
  const brain = await addBrain(app, owner, 'direct')
  const before = await listEvents(brain)
  const repeat = await sync(copy.folder, 'direct')
  expect(repeat).toMatchObject({ code: 0, summary: { created: 0, updated: 0, retired: 0, unchanged: count } })
  expect(await listEvents(brain)).toEqual(before)

  const { edited, removed, added } = await editFolder(copy)
  expect((await sync(copy.folder, 'direct')).code).toBe(2)
  expect((await listDocuments(brain)).map(({ id }) => id)).toEqual(documentIds(copy.files))
  const second = await sync(copy.folder, 'direct', '--yes')
  expect(second).toMatchObject({
    code: 0,
    summary: { files: count - 2, created: 3, updated: 20, retired: 5, unchanged: count - 25, stateVersion: 2 },
  })
  // Planned twice: the sync that asked for confirmation showed its plan, too.
  const written = (await listEvents(brain)).slice(before.length + 2)
  expect(written.at(-1)?.type).toBe('snapshot.applied')
  const idsBy = (type: string, version?: number) =>
    written
      .filter(({ type: its, data }) => its === type && data.version === version)
      .map(({ data }) => data.document?.id)
      .sort()
  expect(written).toHaveLength(29)
  expect(idsBy('document.served', 2)).toEqual(documentIds(edited))
  expect(idsBy('document.served', 1)).toEqual(documentIds(added))
  expect(idsBy('document.retired')).toEqual(documentIds(removed))
})

test('D-60 in review mode the same waits in one change, and its approval makes the same', async () => {
  const copy = await copyDocumentation()
  const count = copy.files.length
  await sync(copy.folder, 'reviewed', '--create')
  const brain = await addBrain(app, owner, 'reviewed')
  await brain.call('PATCH', '', { mode: 'review' })
  await editFolder(copy)
  const staged = await sync(copy.folder, 'reviewed', '--yes')
  expect(staged).toMatchObject({
    code: 0,
    summary: { files: count - 2, created: 0, updated: 0, retired: 0, unchanged: count - 25, staged: 28 },
  })
  const { reviewChange, stateVersion } = staged.summary
  expect(stateVersion).toBeNull()
  expect(await listDocuments(brain)).toHaveLength(count)
  const decided = await brain.call('POST', `/changes/${reviewChange}/decide`, { decision: 'approved' })
  expect(decided.body.data).toMatchObject({ change: { application: 'applied', itemCount: 28 }, stateVersion: 2 })
  const direct = await addBrain(app, owner, 'direct')
  expect((await listDocuments(brain)).map(({ id, version }) => [id, version])).toEqual(
    (await listDocuments(direct)).map(({ id, version }) => [id, version]),
  )
  expect(await sync(copy.folder, 'reviewed')).toMatchObject({ code: 0, summary: { unchanged: count - 2, staged: 0 } })
})

test('D-20 with --wait a sync ends when the search index has nothing left to do', async () => {
  const copy = await copyDocumentation()
  const ended = await sync(copy.folder, 'waited', '--create', '--wait')
  expect(ended).toMatchObject({ code: 0, summary: { created: copy.files.length } })
  const { call } = await addBrain(app, owner, 'waited')
  expect((await call('GET', '')).body.data.brain.indexing).toEqual({
    pendingEvents: 0,
    pendingPassages: 0,
    secondsLeft: 0,
  })
})

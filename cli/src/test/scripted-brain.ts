import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type SeenRequest, startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { onTestFinished } from 'vitest'

type Item = { id: string; text: string; title: string; contentType: string; externalId: string }

/** Creates a folder with these files, removed when the test ends. */
export const makeFolder = async (files: Record<string, string | Uint8Array>) => {
  const folder = await mkdtemp(join(tmpdir(), 'noema-sync-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  return folder
}

/**
 * A service that keeps the documents of one source by id, as far as `sync` can see; it has the Brain unless `isMissing`. Its
 * index has the `pending` passages to embed, one number for each poll.
 */
export const startBrain = async ({
  isMissing = false,
  mode = 'direct',
  refusal = '',
  pending = [] as readonly number[],
} = {}) => {
  const looks = pending.values()
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
  const { url, requests } = await startScriptedServer(({ method, url: path, body }: SeenRequest) => {
    if (method === 'PUT') {
      exists = true
      return { status: 201, data: { brain: {} } }
    }
    if (!exists) return { status: 404, error: { kind: 'not_found', message: 'There is no such Brain.' } }
    if (method === 'GET' && path.endsWith('/brains/crm'))
      return { data: { brain: { indexing: { pendingEvents: 0, pendingPassages: looks.next().value ?? 0 } } } }
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

/** The command line that syncs a folder as the source wiki. */
export const sync = (folder: string, ...more: string[]) => [
  'sync',
  folder,
  '--brain',
  'crm',
  '--source',
  'wiki',
  ...more,
]

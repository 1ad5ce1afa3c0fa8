import { createHash } from 'node:crypto'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import { type putSkill, skillFile, skillLimits } from '@noema/contracts/skills.ts'
import { conflict, notFound, refuseAt } from '../../../shared/errors.ts'
import { canonicalJson } from '../../../shared/text/json.ts'
import type { Tx } from '../../../storage/database.ts'
import { heldBrain } from '../../kernel/brains/brains.ts'
import type { ResolvedOperation } from '../../kernel/versioning/types.ts'
import { sha256 } from '../../knowledge/documents/hash.ts'
import { type StoredAnswer, toClaim } from '../../platform/idempotency/idempotency.ts'
import { applyOrStage, type Submitter } from '../commit/apply-or-stage.ts'
import type { CommitBatch } from '../commit/commit-batch.ts'
import type { Commits } from '../commit/commit-engine.ts'
import { findRefusedCredentials } from '../credentials/credentials.ts'
import { byPath, toContentType, toFolder, toSource } from './addresses.ts'
import { parseFrontmatter } from './frontmatter.ts'
import { type CurrentFile, countSkills, selectCurrent } from './queries.ts'
import { findVersionId } from './skills.ts'

// A skill is written whole, as one change. The plan is made under the Brain's lock, so that of two people at once the second one
// replaces what the first one wrote, or is refused if it names the version that it saw.

type Deps = { commitEngine: Commits }
type Body = BodyOutput<typeof putSkill>
type Request = { name: string; submitter: Submitter } & Pick<Body, 'corrects' | 'reason'>
type Key = { idempotencyKey: string | undefined }

/** A change retires at most so many documents of a skill. Only documents that were written one by one can be more. */
const maxRetired = 1_000

type NewFile = Body['files'][number] & { digest: string }

const checkPaths = (files: Body['files']): void => {
  const seen = new Map<string, string>()
  for (const [index, { path }] of files.entries()) {
    // A folder on a common file system has one of both.
    const key = path.normalize('NFC').toLowerCase()
    const other = seen.get(key)
    if (other !== undefined)
      throw refuseAt(
        ['files', index, 'path'],
        `${JSON.stringify(path)} and ${JSON.stringify(other)} are one file on some machines. Send each file once.`,
      )
    seen.set(key, path)
  }
  for (const [index, { path }] of files.entries()) {
    const parts = path.normalize('NFC').toLowerCase().split('/')
    const file = parts
      .slice(1)
      .map((_, at) => seen.get(parts.slice(0, at + 1).join('/')))
      .find((one) => one !== undefined)
    if (file !== undefined)
      throw refuseAt(
        ['files', index, 'path'],
        `${JSON.stringify(file)} is a file, so it cannot be a folder with files.`,
      )
  }
}

const checkSizes = (files: Body['files']): void => {
  let sum = 0
  for (const [index, { text }] of files.entries()) {
    const bytes = Buffer.byteLength(text)
    sum += bytes
    if (bytes > skillLimits.fileBytes)
      throw refuseAt(
        ['files', index, 'text'],
        `A file of a skill has at most ${skillLimits.fileBytes} bytes; this one has ${bytes}.`,
      )
  }
  if (sum > skillLimits.bytes)
    throw refuseAt(
      ['files'],
      `The files of a skill have at most ${skillLimits.bytes} bytes together; these have ${sum}.`,
    )
}

/** Checks the files of a skill, and hashes them outside the Brain's lock. */
const readFiles = (name: string, files: Body['files']): NewFile[] => {
  checkPaths(files)
  checkSizes(files)
  const index = files.findIndex(({ path }) => path === skillFile)
  const main = files[index]
  if (!main) throw refuseAt(['files'], `A skill has a file ${skillFile} at its root. Add it.`)
  const parsed = parseFrontmatter(main.text, name)
  if ('problem' in parsed) throw refuseAt(['files', index, 'text'], parsed.problem)
  return files.map((file) => ({ ...file, digest: sha256(file.text) })).sort(byPath)
}

const toCurrentVersion = (folder: string, current: readonly CurrentFile[]): string =>
  findVersionId(
    current.slice(0, skillLimits.files + 1).map(({ id, ...one }) => ({ ...one, path: id.slice(folder.length) })),
  )

/** Refuses a write that was made for another version of the skill. */
const checkSeen = (name: string, ifMatch: string | undefined, current: string | undefined): void => {
  if (ifMatch === undefined || ifMatch === (current ?? 'none')) return
  const now = current === undefined ? 'does not exist' : 'has another version by now'
  const message = `The skill ${JSON.stringify(name)} ${now}. Read it again, and repeat the write if it still applies.`
  throw conflict(message, { code: 'stale_version', details: [{ path: ['ifMatch'], message }] })
}

const readCurrent = async (tx: Tx, brainId: number, name: string): Promise<CurrentFile[]> => {
  const current = await selectCurrent(tx, brainId, { folder: toFolder(name), limit: maxRetired + 1 })
  if (current.length > maxRetired)
    throw conflict(`There are more than ${maxRetired} documents below ${toFolder(name)}. Retire some of them first.`)
  return current
}

/** Refuses a skill whose files another source has: a sync of a folder would write them again. */
const checkSources = (name: string, current: readonly CurrentFile[], { mayRead }: Submitter): void => {
  const other = current.find(({ source }) => source !== null && source !== toSource(name))
  if (!other) return
  const named = mayRead
    ? `${JSON.stringify(other.id)} is of the source ${JSON.stringify(other.source)}`
    : 'They are of another source'
  throw conflict(
    `Documents below ${toFolder(name)} were not written as this skill. ${named}. Choose another name, or retire them.`,
    {
      code: 'source_conflict',
    },
  )
}

type Planned = {
  operations: ResolvedOperation[]
  /** The writes, with hashes in place of texts. */
  writes: (readonly [op: string, id: string, digest: string | null])[]
  counts: { add: number; update: number; retire: number; unchanged: number }
  versions: Map<string, number>
}

/** A file of a skill as the document that it is. */
export const toSkillDocument = (name: string, { path, text }: Body['files'][number]) => ({
  ...{ id: toFolder(name) + path, text, title: `${name}/${path}`, contentType: toContentType(path) },
  source: { name: toSource(name) },
})

/** The operations that turn the current files into the given ones. Each says which version it replaces. */
const plan = (name: string, files: readonly NewFile[], current: readonly CurrentFile[]): Planned => {
  const folder = toFolder(name)
  const known = new Map(current.map((one) => [one.id, one]))
  const versions = new Map<string, number>()
  const operations: ResolvedOperation[] = []
  const writes: Planned['writes'] = []
  const counts = { add: 0, update: 0, retire: 0, unchanged: 0 }
  for (const { path, text, digest } of files) {
    const id = folder + path
    const found = known.get(id)
    known.delete(id)
    if (found?.digest === digest && found.source !== null) {
      counts.unchanged++
      versions.set(path, found.version)
      continue
    }
    counts[found ? 'update' : 'add']++
    writes.push(['put', id, digest])
    operations.push({ op: 'document.put', ...toSkillDocument(name, { path, text }) })
  }
  for (const id of known.keys()) {
    writes.push(['retire', id, null])
    operations.push({ op: 'document.retire', id })
  }
  counts.retire = known.size
  return { operations, writes, counts, versions }
}

/** A hash of a write and its caller: an equal one that waits for review is answered instead of staged again. */
const hashWrite = ({ submitter, corrects, reason }: Request, { writes }: Planned): string =>
  createHash('sha256')
    .update(canonicalJson(['skill', submitter.actor.id, writes, corrects ?? null, reason ?? null]))
    .digest('hex')

/** The versions of all files after a write: those that it made, and those that stay. */
const toNewVersion = (batch: CommitBatch, name: string, files: readonly NewFile[], { versions }: Planned): string =>
  findVersionId(
    files.map(({ path, digest }) => {
      const version = versions.get(path) ?? batch.content.document.newest(toFolder(name) + path)?.version ?? 1
      return { path, version, digest }
    }),
  )

const applyNow = (batch: CommitBatch, request: Request, planned: Planned) => {
  const { submitter, corrects, reason } = request
  const { operations } = planned
  const writeHash = batch.brain.mayStage ? hashWrite(request, planned) : undefined
  return applyOrStage(batch, { operations, isBatch: false, submitter, corrects, reason, writeHash })
}

/** Applies what was planned for a skill that is written, and answers it. */
const answerPut = (
  batch: CommitBatch,
  { request, planned, files }: { request: Request; planned: Planned; files: readonly NewFile[] },
): StoredAnswer => {
  const { name } = request
  const answer = (outcome: Exclude<StoredAnswer['outcome'], 'refused'>, done: object): StoredAnswer => {
    const skillVersionId = outcome === 'staged' ? null : toNewVersion(batch, name, files, planned)
    return { outcome, data: JSON.stringify({ ...done, skill: { name, skillVersionId }, counts: planned.counts }) }
  }
  if (planned.operations.length === 0)
    return answer('done', { outcome: 'landed', change: null, stateVersion: batch.stateVersion })
  const { outcome, change, stateVersion } = applyNow(batch, request, planned)
  return answer(outcome === 'staged' ? outcome : 'done', { outcome, change, stateVersion })
}

/** The plan of a write, from the files that are current under the Brain's lock. */
const planPut = async (
  tx: Tx,
  brainId: number,
  { name, submitter, ifMatch, files }: Request & { ifMatch: string | undefined; files: readonly NewFile[] },
) => {
  const current = await readCurrent(tx, brainId, name)
  const isNew = current.length === 0
  checkSeen(name, ifMatch, isNew ? undefined : toCurrentVersion(toFolder(name), current))
  checkSources(name, current, submitter)
  if (isNew && (await countSkills(tx, brainId)) >= skillLimits.skills)
    throw conflict(`This Brain has ${skillLimits.skills} skills, which is the maximum. Delete some.`, {
      code: 'too_many_skills',
    })
  return plan(name, files, current)
}

/** Writes a skill as one change: applied, or staged for review. */
export const storeSkill = async (
  deps: Deps,
  submitter: Submitter,
  brainId: number,
  { name, body, asked, idempotencyKey }: Key & { name: string; body: Body; asked: unknown },
) => {
  const { ifMatch, corrects, reason } = body
  const files = readFiles(name, body.files)
  const { refusesCredentials } = deps.commitEngine
  const values = refusesCredentials ? body.files.map((value, index) => ({ at: ['files', index], value })) : []
  const refusal = refusesCredentials && (await findRefusedCredentials(values))
  if (refusal) throw refusal
  const request: Request = { name, submitter, corrects, reason }
  return deps.commitEngine.submit(brainId, {
    claim: toClaim(submitter.actor.id, idempotencyKey, ['skill.put', name, asked]),
    caps: submitter.caps,
    changeIds: corrects === undefined ? [] : [corrects],
    prepare: async (tx, brain) => {
      if (brain.availability === 'held') throw heldBrain()
      const planned = await planPut(tx, brainId, { ...request, ifMatch, files })
      return {
        operations: planned.operations,
        toWriteHash: () => hashWrite(request, planned),
        run: (batch) => answerPut(batch, { request, planned, files }),
      }
    },
  })
}

/** Retires all files of a skill as one change. */
export const removeSkill = (
  deps: Deps,
  submitter: Submitter,
  brainId: number,
  { name, ifMatch, idempotencyKey }: Key & { name: string; ifMatch: string | undefined },
) => {
  const request: Request = { name, submitter, corrects: undefined, reason: undefined }
  return deps.commitEngine.submit(brainId, {
    claim: toClaim(submitter.actor.id, idempotencyKey, ['skill.delete', name, ifMatch ?? null]),
    caps: submitter.caps,
    prepare: async (tx, brain) => {
      if (brain.availability === 'held') throw heldBrain()
      const current = await readCurrent(tx, brainId, name)
      if (current.length === 0) throw notFound(`There is no skill ${JSON.stringify(name)} in this Brain.`)
      checkSeen(name, ifMatch, toCurrentVersion(toFolder(name), current))
      checkSources(name, current, submitter)
      const planned = plan(name, [], current)
      const run = (batch: CommitBatch): StoredAnswer => {
        const { outcome, change, stateVersion } = applyNow(batch, request, planned)
        const skill = { name, skillVersionId: null }
        const data = { outcome, change, stateVersion, skill, counts: planned.counts }
        return { outcome: outcome === 'staged' ? 'staged' : 'done', data: JSON.stringify(data) }
      }
      return { operations: planned.operations, toWriteHash: () => hashWrite(request, planned), run }
    },
  })
}

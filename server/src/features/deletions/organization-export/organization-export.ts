import { organizationExportFormat } from '@noema/contracts/deletions.ts'
import type { Clock } from '../../../shared/clock.ts'
import { ApiError } from '../../../shared/errors.ts'
import type { Log } from '../../../shared/log.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Db } from '../../../storage/database.ts'
import { readArtifactChunks } from '../../files/artifacts/export-chunks.ts'
import type { ObjectStore } from '../../files/artifacts/object-store.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { listBrainPage } from '../../kernel/brains/brains.ts'
import type { BrainLocks } from '../../kernel/locks/locks.ts'
import type { BrainReads } from '../../kernel/replica-reads/replica-reads.ts'
import { readExportLines } from '../../writing/transfers/export-lines.ts'
import { type Exporting, findOrganizationLine, lineSources, selectLines } from './queries.ts'

// An organization as a file: what it keeps itself, then its Brains, each as its own export. A page of lines is in memory at a time.

type Deps = { db: Db; objects: ObjectStore; brainReads: BrainReads; clock: Clock; log: Log; brainLocks: BrainLocks }

const brainsAtOnce = 100

const toLine = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`)

/** The data of an organization outside its Brains: the text of some lines, and their number. */
async function* readOwnLines(deps: Deps, exporting: Exporting): AsyncGenerator<{ text: string; count: number }> {
  const { db } = deps
  for (const source of lineSources)
    for (let after = ''; ; ) {
      const rows = await selectLines(db, source, { ...exporting, after, limit: source.atOnce })
      const last = rows.at(-1)
      if (last === undefined) break
      yield { text: rows.map(({ line }) => `${line}\n`).join(''), count: rows.length }
      if (rows.length < source.atOnce) break
      after = last.place
    }
  for await (const artifactChunk of readArtifactChunks(deps, exporting.organizationId))
    yield { text: `${JSON.stringify({ artifactChunk })}\n`, count: 1 }
}

async function* readBrains(deps: Deps, organizationId: string, viewer: Viewer): AsyncGenerator<BrainRow> {
  for (let after = ''; ; ) {
    const page = await listBrainPage(deps, organizationId, { after, limit: brainsAtOnce, order: 'asc' }, viewer)
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < brainsAtOnce) return
    after = last.handle
  }
}

/** A Brain behind the line that names it; nothing where it was deleted before it was read. */
async function* readBrain(deps: Deps, brain: BrainRow, history: boolean): AsyncGenerator<Buffer> {
  let isBegun = false
  try {
    for await (const piece of readExportLines(deps, brain, history)) {
      if (!isBegun) yield toLine({ brainExport: { id: brain.id, handle: brain.handle } })
      isBegun = true
      yield piece
    }
  } catch (error) {
    if (isBegun || !(error instanceof ApiError) || error.kind !== 'not_found') throw error
  }
}

const lineFeed = 10

const countLines = (piece: Buffer): number => {
  let count = 0
  for (let at = piece.indexOf(lineFeed); at >= 0; at = piece.indexOf(lineFeed, at + 1)) count++
  return count
}

/** The lines of an organization, in pieces of any size. */
export async function* readOrganizationLines(
  deps: Deps,
  { organizationId, viewer }: Exporting,
  history: boolean,
): AsyncGenerator<Buffer> {
  const totals = { lines: 1, brains: 0 }
  yield toLine({
    organization: { ...organizationExportFormat, ...(await findOrganizationLine(deps.db, organizationId)) },
  })
  for await (const { text, count } of readOwnLines(deps, { organizationId, viewer })) {
    totals.lines += count
    yield Buffer.from(text)
  }
  for await (const brain of readBrains(deps, organizationId, viewer)) {
    let isThere = false
    for await (const piece of readBrain(deps, brain, history)) {
      isThere = true
      totals.lines += countLines(piece)
      yield piece
    }
    if (isThere) totals.brains += 1
  }
  yield toLine({ end: { ...totals, lines: totals.lines + 1 } })
}

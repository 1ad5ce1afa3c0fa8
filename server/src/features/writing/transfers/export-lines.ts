import { createHash } from 'node:crypto'
import { exportFormat } from '@noema/contracts/exports.ts'
import type { Log } from '../../../shared/log.ts'
import { spool } from '../../../shared/text/spool.ts'
import { toPieces } from '../../../shared/text/text-bytes.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import { type BrainRow, selectLiveBrain } from '../../kernel/brains/brain-queries.ts'
import { noSuchBrain } from '../../kernel/brains/brains.ts'
import { readLinePage } from '../../kernel/export-lines/export-line-queries.ts'
import type { ExportCodec } from '../../kernel/export-lines/export-lines.ts'
import type { BrainReads } from '../../kernel/replica-reads/replica-reads.ts'
import { codecs, countName, noCounts } from './export-codecs.ts'
import { prepareExport } from './queries.ts'

// A Brain as a file: NDJSON whose lines are made by the database, read in pages of one snapshot. Nothing is locked, no more
// than a few pages are in memory, and a reader that is slow keeps no snapshot: what it has not read yet waits on the disk. Neither times nor ids of the Brain are in it, so that equal Brains have equal files.

type Deps = { brainReads: BrainReads; log: Log }

const lines = { first: 64, fewest: 4, most: 4_000 }

type Page = { text: string; codec: ExportCodec; count: number }

/** The pages of one codec. The next page is read while this one is sent. */
async function* readPages(tx: Tx, brainId: number, codec: ExportCodec, history: boolean): AsyncGenerator<Page> {
  const read = (after: readonly string[] | undefined, take: number) =>
    readLinePage(tx, codec.select, { brainId, after, take, history })
  let take = lines.first
  let next = read(undefined, take)
  try {
    for (;;) {
      const { seen, count, lines: text, last } = await next
      if (text === null || last === null) return
      const isEnd = count === seen && seen < take
      // A page that was cut for its bytes says how few lines fit; the next asks for little more.
      take = count < seen ? Math.max(lines.fewest, count * 2) : Math.min(lines.most, take * 2)
      if (!isEnd) next = read(last, take)
      yield { text, codec, count }
      if (isEnd) return
    }
  } finally {
    // A reader that left while a page was on its way: the transaction ends after it.
    await next.catch(() => undefined)
  }
}

const toHeader = (brain: BrainRow, history: boolean) => {
  const { name, purpose, mode, stateVersion, schemaVersion } = brain
  // An eval is of this Brain and not of one that imports the file.
  const { requireEval: _, ...reviewRules } = brain.reviewRules
  return { ...exportFormat, history, brain: { name, purpose, mode, reviewRules }, stateVersion, schemaVersion }
}

/** The file of a Brain in pieces of any size. Throws, without a trailer, where it cannot be read to its end. */
async function* readPieces(tx: Tx, found: BrainRow, history: boolean): AsyncGenerator<Buffer> {
  const counts = noCounts()
  const hash = createHash('sha256')
  async function* hashed(text: string): AsyncGenerator<Buffer> {
    for await (const bytes of toPieces(text)) {
      hash.update(bytes)
      yield bytes
    }
  }
  yield* hashed(`${JSON.stringify({ header: toHeader(found, history) })}\n`)
  for (const codec of codecs) {
    if (codec.isHistory && !history) continue
    for await (const { text, count } of readPages(tx, found.brainId, codec, history)) {
      counts[countName(codec.name)] += count
      yield* hashed(text)
    }
  }
  yield Buffer.from(`${JSON.stringify({ trailer: { ...counts, sha256: hash.digest('hex') } })}\n`)
}

/** Makes a file of a Brain, which it gets as it is in the transaction. */
type Make = (tx: Tx, brain: BrainRow) => AsyncGenerator<Buffer>

/** The file of a Brain at the moment when reading begins. The iteration closes everything that it opens. */
async function* readSnapshot({ db, log }: { db: Db; log: Log }, brain: BrainRow, make: Make): AsyncGenerator<Buffer> {
  const begin = db.startTransaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  const tx = await begin.execute()
  try {
    await prepareExport(tx)
    const found = await selectLiveBrain(tx, brain.brainId)
    if (!found) throw noSuchBrain(brain.handle)
    yield* make(tx, found)
  } catch (error) {
    log.warn({ brain: brain.id, err: error }, 'an export ended before its end')
    throw error
  } finally {
    await tx.rollback().execute()
  }
}

/** The same, from a replica that shows its beginning, or else from the primary. */
export async function* readAtOneMoment({ brainReads, log }: Deps, brain: BrainRow, make: Make): AsyncGenerator<Buffer> {
  const { pieces, first } = await brainReads.run({ read: 'export', brain }, async ({ db }) => {
    const begun = readSnapshot({ db, log }, brain, make)
    return { pieces: begun, first: await begun.next() }
  })
  try {
    if (first.done) return
    yield first.value
    yield* pieces
  } finally {
    await pieces.return(undefined)
  }
}

/**
 * The lines of a Brain as it stands when reading begins. They are read from the database as fast as it gives them: for as long as
 * that takes, and no longer, it cannot clean up what changes meanwhile.
 */
export const readExportLines = (deps: Deps, brain: BrainRow, history: boolean): AsyncGenerator<Buffer> =>
  spool(readAtOneMoment(deps, brain, (tx, found) => readPieces(tx, found, history)))

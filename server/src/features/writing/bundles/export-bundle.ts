import { setImmediate } from 'node:timers/promises'
import type { BrainDocument } from '@noema/contracts/documents.ts'
import type { BrainRecord } from '@noema/contracts/records.ts'
import type { Statement } from '@noema/contracts/statements.ts'
import type { Log } from '../../../shared/log.ts'
import { spool } from '../../../shared/text/spool.ts'
import type { Tx } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { readLinePage } from '../../kernel/export-lines/export-line-queries.ts'
import type { SelectLines } from '../../kernel/export-lines/types.ts'
import type { BrainReads } from '../../kernel/replica-reads/replica-reads.ts'
import { toAheadError } from '../../kernel/state-reads/state-reads.ts'
import { readAtOneMoment } from '../transfers/export-lines.ts'
import { packFiles } from './pack-files.ts'
import {
  documentLines,
  type Part,
  recordLines,
  selectKindsAt,
  selectLog,
  selectPaths,
  statementLines,
} from './queries.ts'
import { writeSchema } from './schema-file.ts'
import {
  type ConceptFile,
  type StoredStatement,
  writeDocument,
  writeRecord,
  writeStatements,
} from './write-concepts.ts'
import { createLists, epoch, writeLog } from './write-lists.ts'

// A part of a Brain as a folder of files, made while it is read: a few pages of content are in memory, and one file at a time.

const firstTake = 64
const maxTake = 256

/** Pages of lines of JSON, parsed. */
async function* readPages<Line>(tx: Tx, brainId: number, select: SelectLines): AsyncGenerator<Line[]> {
  let after: readonly string[] | undefined
  let take = firstTake
  for (;;) {
    const { seen, count, lines, last } = await readLinePage(tx, select, { brainId, after, take, history: false })
    if (lines === null || last === null) return
    yield lines
      .trimEnd()
      .split('\n')
      .map((line): Line => JSON.parse(line))
    if (count === seen && seen < take) return
    after = last
    take = count < seen ? Math.max(1, count) : Math.min(maxTake, take * 2)
  }
}

/** A file has at most so many statements; more are in further files. */
const statementsPerFile = 500
const statementBytesPerFile = 512 * 1024

/** The statements about each record, in parts that fit into a file. */
async function* cutStatements(pages: AsyncIterable<{ statement: Statement; version: number }[]>) {
  let part: StoredStatement[] = []
  let bytes = 0
  for await (const page of pages)
    for (const { statement, version } of page) {
      const size = JSON.stringify(statement).length
      const isOther = part[0] !== undefined && part[0].subject.id !== statement.subject.id
      if (isOther || part.length >= statementsPerFile || (part.length > 0 && bytes + size > statementBytesPerFile)) {
        yield part
        part = []
        bytes = 0
      }
      part.push({ ...statement, version })
      bytes += size
    }
  if (part.length > 0) yield part
}

const toTargets = (records: readonly BrainRecord[], statements: readonly StoredStatement[]): string[] => [
  ...new Set([
    ...records.flatMap(({ links }) => links.map(({ to }) => to)),
    ...statements.flatMap(({ object }) => ('record' in object ? [object.record.id] : [])),
  ]),
]

type Reading = { tx: Tx; brain: BrainRow; part: Part }

/** The files of some records, with those of their statements. */
async function* writeRecords(
  { tx, brain, part }: Reading,
  records: readonly BrainRecord[],
): AsyncGenerator<ConceptFile> {
  const ids = records.map(({ id }) => id)
  const parts = cutStatements(readPages(tx, brain.brainId, statementLines(part, ids)))
  try {
    let next = (await parts.next()).value
    for (const record of records) {
      for (let number = 1; number === 1 || next?.[0]?.subject.id === record.id; number++) {
        const own = next?.[0]?.subject.id === record.id ? next : []
        const links = number === 1 ? [record] : []
        const targets = await selectPaths(tx, brain.brainId, toTargets(links, own), part)
        const stored = { brain: brain.id, targets }
        yield number === 1 ? writeRecord(record, own, stored) : writeStatements(record, own, { ...stored, number })
        if (own.length > 0) next = (await parts.next()).value
      }
    }
  } finally {
    await parts.return(undefined)
  }
}

/** The file of the declared kinds: of all, or of those that are exported. */
async function* writeKinds({ tx, brain, part }: Reading, state: number): AsyncGenerator<ConceptFile> {
  if (part.sources && !part.kinds) return
  const all = await selectKindsAt(tx, brain.brainId, state)
  const kinds = part.kinds === undefined ? all : all.filter(({ kind }) => part.kinds?.includes(kind))
  if (kinds.length > 0) yield writeSchema(kinds, { brain: brain.id, at: epoch })
}

/** The files of a part of a Brain, the lists of them last. */
async function* writeFiles(reading: Reading, state: number): AsyncGenerator<ConceptFile> {
  const { tx, brain, part } = reading
  const lists = createLists(brain)
  const isWhole = part.kinds === undefined && part.sources === undefined
  const listed = (file: ConceptFile) => {
    lists.add(file)
    return file
  }
  for await (const file of writeKinds(reading, state)) yield listed(file)
  if (isWhole || part.kinds)
    for await (const records of readPages<BrainRecord>(tx, brain.brainId, recordLines(part)))
      for await (const file of writeRecords(reading, records)) yield listed(file)
  if (isWhole || part.sources)
    for await (const page of readPages<{ document: BrainDocument; text: string }>(
      tx,
      brain.brainId,
      documentLines(part),
    ))
      for (const { document, text } of page) yield listed(writeDocument({ ...document, text }, { brain: brain.id }))
  yield* lists.write()
  // The history of a whole Brain is not that of a part.
  if (isWhole) yield writeLog(await selectLog(tx, brain.brainId, state))
}

/** Lets others take their turn while many files are made. */
async function* inTurns<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
  let since = performance.now()
  for await (const item of items) {
    yield item
    if (performance.now() - since < 10) continue
    await setImmediate()
    since = performance.now()
  }
}

/** A part of a Brain as a gzipped tar, in pieces of any size. */
export const readBundlePieces = (
  deps: { brainReads: BrainReads; log: Log },
  brain: BrainRow,
  part: Part,
): AsyncGenerator<Buffer> =>
  spool(
    readAtOneMoment(deps, brain, (tx, found) => {
      if (part.asOf !== undefined && part.asOf > found.stateVersion) throw toAheadError(part.asOf, found.stateVersion)
      const files = writeFiles({ tx, brain: found, part }, part.asOf ?? found.stateVersion)
      return packFiles(inTurns(files))
    }),
  )

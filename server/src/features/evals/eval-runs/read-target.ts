import { readContext } from '@noema/contracts/context.ts'
import { readCorpusContext, searchCorpus } from '@noema/contracts/corpora.ts'
import type { EvalCase, EvalTarget } from '@noema/contracts/evals.ts'
import { searchBrain } from '@noema/contracts/search.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { FairLimiter } from '../../../shared/concurrency/fair-limiter.ts'
import { ApiError, notFound, unavailable } from '../../../shared/errors.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import type { BrainReads } from '../../kernel/replica-reads/replica-reads.ts'
import { runContext } from '../../retrieval/context/context.ts'
import { findOpenBrains } from '../../retrieval/corpora/corpora.ts'
import type { Part, PartsDeps } from '../../retrieval/corpora/open-parts.ts'
import { contextOfCorpus, searchInCorpus } from '../../retrieval/corpora/read-corpus.ts'
import { takePreviewSlot } from '../../retrieval/previews/preview-slots.ts'
import { type PreviewReads, searchWithChange } from '../../retrieval/previews/read-preview.ts'
import type { ReceiptWriter } from '../../retrieval/receipts/leave-receipt.ts'
import type { MetadataDeps } from '../../retrieval/search/check-metadata.ts'
import type { SearchDeps } from '../../retrieval/search/open-brain.ts'
import { runSearch } from '../../retrieval/search/search.ts'
import type { Answer, ReadItem } from '../grading/answer.ts'
import type { LeasedEvalRun, PinnedRead } from './types.ts'

// Reads what an eval tests, as its starter may read it now and at the states that the run has pinned: one read for a case.

export type ReadDeps = Omit<SearchDeps, 'source'> &
  MetadataDeps &
  PartsDeps &
  PreviewReads & { receipts: ReceiptWriter; clock: Clock; brainReads: BrainReads; previewSlots: FairLimiter }

type ReadTarget = Exclude<EvalTarget, { agentId: string }>
type Run = Pick<LeasedEvalRun, 'id' | 'organization' | 'pinned'>

/** A read and the receipts that it left. */
export type Read = { answer: Answer; receipts: string[] }

/** The refusal of a Brain that is gone, or no longer open to the starter of a run. */
export const lostBrain = () =>
  notFound('There is no Brain left to read: it was deleted, or the starter of this run has lost access to it.')

const pickParameters = ({ mode, limit, minEvidence, rerank }: ReadTarget) => ({
  ...(mode === undefined ? {} : { mode }),
  ...(limit === undefined ? {} : { limit }),
  ...(minEvidence === undefined ? {} : { minEvidence }),
  ...(rerank === true ? { rerank } : {}),
})

/** Results that were not reranked are of something else: a busy reranker is asked again later. */
const checkReranked = (
  { reranker }: ReadDeps,
  { rerank }: ReadTarget,
  degraded: readonly { reason: string }[] = [],
): void => {
  if (rerank !== true || degraded.every(({ reason }) => reason !== 'not_reranked')) return
  if (!reranker) throw notFound('No reranker is set up on this service. Use an eval without rerank.')
  throw unavailable('The reranker did not put the results in order in time.')
}

type Hit = { type: ReadItem['type']; id: string; version: number; brain?: { handle: string } | undefined }
type Texts = { title?: string | undefined; snippet: string }[]

const toText = (results: Texts): string =>
  results.map(({ title, snippet }) => (title ? `${title}\n${snippet}` : snippet)).join('\n\n')

type Said = { text: string; hits: readonly Hit[]; evidence: Answer['evidence']; receipts: string[] }

type Reading = { run: Run; target: ReadTarget; viewer: Viewer; q: string }

const toSubject = ({ organization, id }: Run) => ({ organization, key: `${organization} ${id}` })

/** True if a read needs vectors of the texts of a pending change. */
const isByMeaning = ({ read, mode }: ReadTarget): boolean => read === 'context' || mode !== 'lexical'

/** Reads a Brain with a pending change when there is a slot for such reads. */
const withChange = <Found>(
  deps: ReadDeps,
  { run, target }: Reading,
  { brain, change }: { brain: BrainRow; change: string },
  read: Parameters<typeof searchWithChange<Found>>[2],
): Promise<Found> =>
  takePreviewSlot(deps.previewSlots, toSubject(run), () =>
    searchWithChange(deps, { brain, change, isByMeaning: isByMeaning(target) }, read),
  )

/** Runs a read of a Brain on a source: with the pending change of the run, or at the state that the run has pinned. */
const readOn = <Found>(
  deps: ReadDeps,
  reading: Reading,
  brain: BrainRow,
  read: (of: SearchDeps, brain: BrainRow) => Promise<Found>,
): Promise<Found> => {
  const { change } = reading.run.pinned
  if (!change)
    return deps.brainReads.run({ read: reading.target.read, brain }, (source) => read({ ...deps, source }, brain))
  return withChange(deps, reading, { brain, change: change.id }, ({ brain: current, base, preview }) =>
    read({ ...deps, source: base, preview }, current),
  )
}

const readBrain = async (deps: ReadDeps, reading: Reading): Promise<Said & { brain: string }> => {
  const { run, target, viewer, q } = reading
  const [pinned] = run.pinned.reads
  const find = findOpenBrains(deps, { organizationId: run.organization, viewer })
  const brain = pinned && (await find([pinned.brainId])).get(pinned.brainId)
  if (!pinned || !brain) throw lostBrain()
  const state = run.pinned.change ? {} : { asOf: pinned.asOf }
  const given = { ...pickParameters(target), ...state, consumerId: run.id }
  if (target.read === 'search') {
    const query = searchBrain.query.parse({ ...given, q, ...(given.rerank && { rerank: 'true' }) })
    const found = await readOn(deps, reading, brain, (of, current) => runSearch({ ...deps, ...of }, current, query))
    const { results: hits, evidence, receipt, degraded } = found
    checkReranked(deps, target, degraded)
    return { brain: brain.handle, text: toText(hits), hits, evidence, receipts: [receipt] }
  }
  const { mode: _mode, ...request } = given
  const asked = readContext.body.parse({ ...request, query: q })
  const read = await readOn(deps, reading, brain, (of, current) => runContext({ ...deps, ...of }, current, asked))
  checkReranked(deps, target, read.degraded)
  return {
    brain: brain.handle,
    text: read.context,
    hits: read.items,
    evidence: read.evidence,
    receipts: [read.receipt],
  }
}

const toPart = ({ part, brainId, asOf, section }: PinnedRead, brains: ReadonlyMap<string, Part['brain']>): Part => ({
  ...section,
  ...{ part, brainId, asOf, brain: brains.get(brainId) },
})

/** An answer without a part is of something else: the case is read again later. */
const checkParts = ({ failed: [first] }: { failed: readonly { message: string }[] }): void => {
  if (first) throw unavailable(`A part of the corpus could not be read: ${first.message}`)
}

/** Reads a corpus, in which one Brain may be read with a pending change. */
const readCorpus = async (deps: ReadDeps, reading: Reading & { target: { corpus: string } }): Promise<Said> => {
  const { organization, pinned } = reading.run
  const { change } = pinned
  const find = findOpenBrains(deps, { organizationId: organization, viewer: reading.viewer })
  const brain = change && (await find([change.brainId])).get(change.brainId)
  if (!change) return readParts(deps, reading, (part) => part)
  if (!brain) throw lostBrain()
  return withChange(deps, reading, { brain, change: change.id }, ({ brain: current, base, preview }) =>
    readParts(deps, reading, ({ asOf, ...part }) =>
      part.brainId === change.brainId
        ? { ...part, brain: current, preview: { base, change: preview } }
        : { ...part, asOf },
    ),
  )
}

const readParts = async (
  deps: ReadDeps,
  { run, target, viewer, q }: Reading & { target: { corpus: string } },
  toRead: (part: Part) => Part,
): Promise<Said> => {
  const { organization, pinned, id } = run
  const ids = pinned.reads.map(({ brainId }) => brainId)
  const brains = await findOpenBrains(deps, { organizationId: organization, viewer })(ids)
  const parts = pinned.reads.map((read) => toRead(toPart(read, brains)))
  // A result without a part that was there at the start would be of something else.
  if (parts.some(({ brain }) => brain === undefined)) throw lostBrain()
  const corpus = { name: target.corpus, parts, subject: toSubject(run) }
  const given = { ...pickParameters(target), consumerId: id }
  const listReceipts = (read: readonly { receipt: string }[]) => read.map(({ receipt }) => receipt)
  if (target.read === 'search') {
    const found = await searchInCorpus(deps, corpus, searchCorpus.body.parse({ ...given, q }))
    checkParts(found)
    checkReranked(deps, target, found.degraded)
    const { results: hits, evidence } = found
    return { text: toText(hits), hits, evidence, receipts: listReceipts(found.parts) }
  }
  const { mode: _mode, ...request } = given
  const read = await contextOfCorpus(deps, corpus, readCorpusContext.body.parse({ ...request, query: q }))
  checkParts(read)
  checkReranked(deps, target, read.degraded)
  return { text: read.context, hits: read.items, evidence: read.evidence, receipts: listReceipts(read.parts) }
}

/** Answers a case by a read. */
export const readCase = async (
  deps: ReadDeps,
  run: Run,
  { target, viewer, evalCase }: { target: ReadTarget; viewer: Viewer; evalCase: EvalCase },
): Promise<Read> => {
  const begun = performance.now()
  const reading = { run, viewer, q: evalCase.input.slice(0, 4_000) }
  const said =
    'corpus' in target
      ? { ...(await readCorpus(deps, { ...reading, target })), brain: '' }
      : await readBrain(deps, { ...reading, target })
  const items = said.hits.map(({ type, id, version, brain }) => ({
    ...{ brain: brain?.handle ?? said.brain, type, id, version, isCurrent: true },
  }))
  const { text, evidence, receipts } = said
  const answer: Answer = {
    ...{ text, items, citations: [], tools: [], costNanodollars: 0 },
    ...(evidence === undefined ? {} : { evidence }),
    milliseconds: Math.round(performance.now() - begun),
  }
  return { answer, receipts }
}

/** True if an error is about one case, such as an input that cannot be searched for, so that the others go on. */
export const isOfCase = (error: unknown): error is ApiError => error instanceof ApiError && error.kind === 'validation'

import { setImmediate } from 'node:timers/promises'
import type { previewChange, QuestionPreview } from '@noema/contracts/change-previews.ts'
import type { BodyOutput, Result } from '@noema/contracts/endpoint.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { leaveReceipt, type ReceiptWriter } from '../receipts/leave-receipt.ts'
import type { Degradation } from '../search/degraded.ts'
import type { PreviewedChange, SearchDeps } from '../search/open-brain.ts'
import { makeSnippets } from '../search/pool.ts'
import { type Hit, toKey, toResults } from '../search/results.ts'
import { type Found, findInBrains, listDegraded, openBrain } from '../search/search.ts'
import type { EmbeddedQueries } from '../vectors/vectors.ts'
import { type PreviewReads, searchWithChange } from './read-preview.ts'

// Asks questions of a Brain as it is and with a pending change, one after the other: a call with many works for seconds, and other
// callers have their turn in between.

type Deps = PreviewReads & Omit<SearchDeps, 'source'> & { receipts: ReceiptWriter; clock: Clock }
type Request = BodyOutput<typeof previewChange>
type Answers = QuestionPreview['before']
type Place = QuestionPreview['entered'][number]

/** The time after which no further question is asked. */
const maxMilliseconds = 10_000

const toAnswers = (found: Found): Answers => ({
  evidence: found.evidence,
  results: toResults(found.hits, makeSnippets(found.searched, found.hits)).map(
    ({ type, id, version, title, snippet, evidence }) => ({ type, id, version, title, snippet, evidence }),
  ),
})

const toPlace = ({ type, id }: Place): Place => ({ type, id })
const toName = ({ type, id }: Place): string => `${type} ${id}`

/** The difference between two lists of results. */
export const compareResults = (
  before: Answers,
  after: Answers,
): Pick<QuestionPreview, 'entered' | 'left' | 'changed' | 'moved'> => {
  const places = (answers: Answers) => new Map(answers.results.map((one, index) => [toName(one), index + 1]))
  const [old, now] = [places(before), places(after)]
  return {
    entered: after.results.filter((one) => !old.has(toName(one))).map(toPlace),
    left: before.results.filter((one) => !now.has(toName(one))).map(toPlace),
    changed: after.results
      .filter((one) => before.results.some((same) => toName(same) === toName(one) && same.version !== one.version))
      .map(toPlace),
    moved: after.results.flatMap((one) => {
      const [from, to] = [old.get(toName(one)), now.get(toName(one))]
      return from === undefined || to === undefined || from === to ? [] : [{ ...toPlace(one), from, to }]
    }),
  }
}

type Asked = { questions: QuestionPreview[]; served: { before: Hit[]; after: Hit[] }; degraded: Degradation[] }

const askAll = async (
  deps: Omit<SearchDeps, 'preview'>,
  brain: BrainRow,
  { questions, limit }: Request,
  preview: PreviewedChange,
): Promise<Asked> => {
  const asked: Asked = { questions: [], served: { before: [], after: [] }, degraded: [] }
  const begun = performance.now()
  for (const question of questions) {
    if (performance.now() - begun > maxMilliseconds) break
    const request = { q: question, mode: 'hybrid', limit } as const
    // The question is embedded once.
    const embedded: EmbeddedQueries = new Map()
    const find = (of: SearchDeps) =>
      findInBrains(of, async () => [await openBrain(of, brain, request, embedded)], request)
    const before = await find(deps)
    await setImmediate()
    const after = await find({ ...deps, preview })
    const [old, now] = [toAnswers(before), toAnswers(after)]
    asked.questions.push({ question, before: old, after: now, ...compareResults(old, now) })
    asked.served.before.push(...before.hits)
    asked.served.after.push(...after.hits)
    asked.degraded.push(...listDegraded(after))
    await setImmediate()
  }
  return asked
}

/** Each of some things once, by a name. */
const once = <One>(all: readonly One[], name: (one: One) => string): One[] => [
  ...new Map(all.map((one) => [name(one), one])).values(),
]

/** Answers questions before and after a pending change, and leaves a receipt of what each side served. */
export const askBeforeAndAfter = (
  deps: Deps,
  target: { brain: BrainRow; change: string },
  request: Request,
): Promise<Result<typeof previewChange>> =>
  searchWithChange(deps, { ...target, isByMeaning: true }, async ({ brain, base, preview }) => {
    const { questions, served, degraded } = await askAll({ ...deps, source: base }, brain, request, preview)
    const { consumerId } = request
    const leave = (items: readonly Hit[], stateVersion: number, of = {}) =>
      leaveReceipt(deps, brain, {
        ...{ consumerId, operation: 'search', stateVersion, items: once(items, toKey) },
        ...of,
      })
    const stateVersion = brain.stateVersion + 1
    const [before, after] = await Promise.all([
      leave(served.before, brain.stateVersion),
      leave(served.after, stateVersion, preview.served),
    ])
    const reasons = once(degraded, ({ reason }) => reason)
    return {
      questions,
      unanswered: request.questions.length - questions.length,
      ...(reasons.length > 0 ? { degraded: reasons } : {}),
      receipts: { before, after },
      preview: preview.described,
      stateVersion,
    }
  })

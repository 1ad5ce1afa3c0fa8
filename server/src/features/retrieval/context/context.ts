import type { readContext } from '@noema/contracts/context.ts'
import { contextTokens } from '@noema/contracts/context.ts'
import type { BodyOutput, Result } from '@noema/contracts/endpoint.ts'
import { readText } from '@noema/contracts/messages.ts'
import type { MinEvidence } from '@noema/contracts/search.ts'
import type { Clock } from '../../../shared/clock.ts'
import { refuseAt } from '../../../shared/errors.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { leaveReceipt, type ReceiptWriter } from '../receipts/leave-receipt.ts'
import { checkMetadata, type MetadataDeps } from '../search/check-metadata.ts'
import type { SearchDeps } from '../search/open-brain.ts'
import type { Hit } from '../search/results.ts'
import { type Found, findRelevant, listDegraded } from '../search/search.ts'
import { assemble } from './assemble.ts'
import { type Excerpt, toExcerpt } from './excerpt.ts'

// An agent reads a context before its next step: the hits of a search, assembled within a budget of tokens and framed so that they
// stay data (D-51).

type ContextRequest = BodyOutput<typeof readContext>

/** The characters of a conversation that are searched for: its last message, and those before it while it is short. */
const maxQueried = 600

/** Both ends of a longer message: a question comes before or after its subject. */
const keepEnds = (content: string): string =>
  content.length <= maxQueried
    ? content
    : `${content.slice(-maxQueried / 2)}\n${content.slice(0, maxQueried / 2)}`.toWellFormed()

/** The questions in a message; the whole message where it has none. */
const findQuestions = (content: string): string => (content.match(/[^.!?。！？؟\n]+[?？؟]/gu) ?? [content]).join('\n')

type Asked = Pick<ContextRequest, 'query' | 'messages'>

/** The query of a search, and the questions in the last message of a conversation. */
const toQuestion = ({ query, messages = [] }: Asked): { q: string; question?: string | undefined } => {
  if (query !== undefined) return { q: query }
  const spoken = messages.filter(({ role }) => role === 'user' || role === 'assistant')
  const said: string[] = []
  let length = 0
  for (const content of (spoken.length > 0 ? spoken : messages).toReversed().map(readText)) {
    if (length > 0 && length + content.length > maxQueried) break
    // The latest first: of many words, the first are searched.
    said.push(keepEnds(content))
    length += content.length
  }
  return { q: said.join('\n'), question: findQuestions(said[0] ?? '') }
}

/** The query of a context, which is refused if it has no text. */
export const readQuestion = (request: Asked): { q: string; question?: string | undefined } => {
  const asked = toQuestion(request)
  if (asked.q.trim() === '')
    throw refuseAt(
      [request.query === undefined ? 'messages' : 'query'],
      'There is nothing to search for: query, or the last message, has no text.',
    )
  return asked
}

/** The search for a context of up to `limit` versions: some hits are passages of one document, and some say the same. */
export const toContextSearch = (limit: number) => ({ mode: 'hybrid' as const, limit: limit * 2, passagesEach: 4 })

/**
 * Chooses the hits of a context where the request names no evidence. Next to strong evidence, weak evidence adds little and takes
 * space in the budget. But a passage that is not embedded yet is judged by its words alone, which is stricter: a weak one may be
 * the answer.
 */
const chooseHits = ({ hits, evidence, mode }: Found): Hit[] =>
  hits.filter(
    (hit) =>
      hit.evidence === 'strong' ||
      (hit.evidence === 'weak' && (evidence !== 'strong' || (mode !== 'lexical' && Number.isNaN(hit.similarity)))),
  )

/** The excerpts of a context that names its evidence, or does not. */
export const toExcerpts = (found: Found, minEvidence: MinEvidence | undefined): Excerpt[] =>
  (minEvidence === undefined ? chooseHits(found) : found.hits).map(toExcerpt)

/** Answers a context, and leaves a receipt of the versions that it served. */
export const runContext = async (
  deps: SearchDeps & MetadataDeps & { receipts: ReceiptWriter; clock: Clock },
  brain: BrainRow,
  request: ContextRequest,
): Promise<Result<typeof readContext>> => {
  const { consumerId, kinds, include, types = include, asOf, validAt, limit, budget, minEvidence, rerank } = request
  const { source, since, until, metadata } = request
  const { q, question } = readQuestion(request)
  if (metadata) await checkMetadata(deps, brain, metadata)
  const found = await findRelevant(deps, brain, {
    ...{ q, question, kinds, types, asOf, validAt, isReranked: rerank === true },
    ...{ source, since, until, metadata, minEvidence },
    ...toContextSearch(limit),
  })
  const degraded = listDegraded(found)
  const stateVersion = found.searched[0]?.lexical.stateVersion ?? 0
  const tokens = budget?.tokens ?? contextTokens.default
  const origin = { handle: brain.handle, stateVersion }
  const assembled = assemble(toExcerpts(found, minEvidence), { origin, tokens, limit })
  const { context, items, used, dropped } = assembled
  const receipt = await leaveReceipt(deps, brain, {
    ...{ consumerId, operation: 'context', stateVersion, items },
    ...deps.preview?.served,
  })
  const preview = deps.preview?.described
  return {
    context,
    items,
    evidence: assembled.evidence,
    budget: { tokens, used, dropped },
    ...(degraded.length > 0 ? { degraded } : {}),
    receipt,
    ...(preview ? { preview } : {}),
    stateVersion,
  }
}

import type { readContext } from '@noema/contracts/context.ts'
import { contextTokens } from '@noema/contracts/context.ts'
import type { BodyOutput, Result } from '@noema/contracts/endpoint.ts'
import type { Clock } from '../../../shared/clock.ts'
import { refuseAt } from '../../../shared/errors.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { isEnough } from '../evidence/evidence.ts'
import { leaveReceipt, type ReceiptWriter } from '../receipts/leave-receipt.ts'
import { findRelevant, type SearchDeps } from '../search/search.ts'
import { assemble } from './assemble.ts'
import { toExcerpt } from './excerpt.ts'

// A context is what an agent reads before it goes on: what search finds, put together within a budget of tokens and framed
// so that it stays data (D-51).

type Asked = BodyOutput<typeof readContext>

/** How many characters of a conversation say what it is about: its last message, and those before it while it is short. */
const maxAsked = 600

/** Both ends of a message that is longer: a question stands before or behind what it is about. */
const keepEnds = (content: string): string =>
  content.length <= maxAsked
    ? content
    : `${content.slice(-maxAsked / 2)}\n${content.slice(0, maxAsked / 2)}`.toWellFormed()

/** What a message asks, where it says more than that; the whole message where it asks nothing. */
const findQuestions = (content: string): string => (content.match(/[^.!?。！？؟\n]+[?？؟]/gu) ?? [content]).join('\n')

/** What is searched for, and of a conversation what its last message asks. */
const toQuestion = ({ query, messages = [] }: Asked): { q: string; question?: string | undefined } => {
  if (query !== undefined) return { q: query }
  const spoken = messages.filter(({ role }) => role === 'user' || role === 'assistant')
  const said: string[] = []
  let length = 0
  for (const { content } of (spoken.length > 0 ? spoken : messages).toReversed()) {
    if (length > 0 && length + content.length > maxAsked) break
    // The latest first: of many words, the first are looked for.
    said.push(keepEnds(content))
    length += content.length
  }
  return { q: said.join('\n'), question: findQuestions(said[0] ?? '') }
}

/** Answers a context, and leaves a receipt of what it served. */
export const runContext = async (
  deps: SearchDeps & { receipts: ReceiptWriter; clock: Clock },
  brain: BrainRow,
  query: Asked,
): Promise<Result<typeof readContext>> => {
  const { consumerId, kinds, include, asOf, validAt, limit, budget, minEvidence, rerank } = query
  const { q, question } = toQuestion(query)
  if (q.trim() === '')
    throw refuseAt(
      [query.query === undefined ? 'messages' : 'query'],
      'There is nothing to search for: query, or the last message, has no text.',
    )
  const wanted = {
    q,
    question,
    mode: 'hybrid' as const,
    kinds,
    types: include,
    asOf,
    validAt,
    isReranked: rerank === true,
  }
  // Some are passages of one document, and some say the same.
  const found = await findRelevant(deps, brain, { ...wanted, limit: limit * 2, passagesEach: 4 })
  const { hits, evidence, stateVersion, degraded } = found
  const tokens = budget?.tokens ?? contextTokens.default
  const place = { handle: brain.handle, stateVersion }
  // Beside strong evidence, weak evidence says little and takes the place of what was asked for.
  const min = minEvidence ?? (evidence === 'strong' ? 'strong' : 'weak')
  const excerpts = hits.filter((hit) => isEnough(hit.evidence, min)).map(toExcerpt)
  const assembled = assemble(excerpts, { place, tokens, limit })
  const { context, items, used, dropped } = assembled
  const receipt = await leaveReceipt(deps, brain, { consumerId, operation: 'context', stateVersion, items })
  return {
    context,
    items,
    evidence: assembled.evidence,
    budget: { tokens, used, dropped },
    ...(degraded.length > 0 ? { degraded } : {}),
    receipt,
    stateVersion,
  }
}

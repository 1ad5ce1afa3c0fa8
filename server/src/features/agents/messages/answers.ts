import type { MessagePart } from '@noema/contracts/messages.ts'
import type { Db } from '../../../storage/database.ts'
import {
  type AnswerDetails,
  selectAnswerDetails,
  selectSpoken,
  selectWritten,
  type WrittenMessage,
} from './answer-queries.ts'

// The texts of runs, as other APIs answer and continue them.

type Deps = { keyedDb: Db }
type RunKey = { organizationId: string; id: string }

export type Source = Extract<MessagePart, { type: 'source' }>

/** The text of one step of a run, with its sources. */
export type StepText = { operationId: string; text: string; reasoning: string; sources: readonly Source[] }

const maxSteps = 1_000

const toStepText = ({ operationId, parts }: WrittenMessage): StepText => {
  const join = (type: 'text' | 'reasoning') => parts.flatMap((part) => (part.type === type ? part.text : [])).join('')
  const sources = parts.filter((part): part is Source => part.type === 'source')
  return { operationId, text: join('text'), reasoning: join('reasoning'), sources }
}

/** The texts that the models of a run wrote, step by step. A step that only called tools has none. */
export const readStepTexts = async ({ keyedDb }: Deps, run: RunKey): Promise<StepText[]> =>
  (await selectWritten(keyedDb, run, maxSteps)).map(toStepText).filter(({ text }) => text !== '')

/** The details that answers about a run need. */
export const readAnswerDetails = async ({ keyedDb }: Deps, run: RunKey): Promise<AnswerDetails> =>
  (await selectAnswerDetails(keyedDb, run)) ?? { brainHandle: null, cachedTokens: 0, reasoningTokens: 0 }

/** A run that continues another one gets at most so many of its messages, and this many bytes. */
const maxSpoken = { limit: 400, maxBytes: 512 * 1024 }

/** The property of a run's `metadata.openai` that says that the run began with instructions for itself alone. */
export const instructed = 'instructions'

/** The newest messages up to the end of a run, from a question on; without instructions for one run alone. */
export const readSpoken = async ({ keyedDb }: Deps, run: RunKey & { conversationId: string | null }) => {
  const said = await selectSpoken(keyedDb, run, { ...maxSpoken, instructed })
  const begin = said.findIndex(({ role }) => role === 'user' || role === 'system')
  return begin === -1 ? [] : said.slice(begin)
}

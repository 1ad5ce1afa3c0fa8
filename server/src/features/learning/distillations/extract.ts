import { findInstructions, joinFlags } from './find-instructions.ts'
import type { AnsweredTask, CorrectedRead, JournalOperation, RejectedChange } from './journal-queries.ts'
import type { Extract, Seen } from './types.ts'

// From the journal of one run to what can be learned from it, without a model. It reads the beginning of each text, and examines all of
// what it reads.

/** Tools of one run that count, and things seen in it. */
const maxTools = 60
const maxSeen = 20

const maxText = 300
const maxQuestion = 500

const toLine = (text: string, max: number): string => {
  const line = text.replaceAll(/\s+/gu, ' ').trim()
  return line.length > max ? `${line.slice(0, max - 1).trimEnd()}…` : line
}

/** The same message of a tool, whatever ids and numbers it names. */
const toMessageKey = (message: string): string =>
  toLine(message, maxText)
    .toLowerCase()
    .replaceAll(/[a-z]{2,4}_[0-9a-z]{20,}|[0-9a-f-]{20,}/gu, '#')
    .replaceAll(/\d+/gu, '#')

/** The same question, whatever its punctuation. */
const toQuestionKey = (question: string): string =>
  toLine(question, maxQuestion)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** A text in quotes; one that tries to instruct its reader is left out. */
const quote = (text: string, flags: Seen['flags']): string =>
  flags.includes('instructions')
    ? 'a text that tries to instruct its reader, which is left out here'
    : JSON.stringify(text)

const toFailure = ({ id, name, error, flags }: JournalOperation & { flags: Seen['flags'] }): Seen => {
  const message = toLine(error ?? '', maxText)
  return {
    ...{ finding: 'tool_failure', key: `${name} ${toMessageKey(message)}`, operationId: id, flags },
    situation: `The tool ${name} is called.`,
    advice: `It has failed several times with ${quote(message, flags)}. Check what it needs before calling it, and do not repeat a call that failed so.`,
    outcome: 'The call failed.',
  }
}

const toUnanswered = ({ id, question, brain }: JournalOperation, asked: string, flags: Seen['flags']): Seen => ({
  ...{ finding: 'no_evidence', key: toQuestionKey(question ?? ''), operationId: id, flags },
  situation: `Someone asks ${quote(asked, flags)}.`,
  advice: `Nothing in ${brain ? `the Brain ${brain}` : 'what was searched'} answered this. Say that you do not know, or ask a person.`,
  outcome: 'The search found no evidence.',
})

const toAnswered = ({ operationId, question, answer }: AnsweredTask): Seen => {
  const [asked, said] = [toLine(question, maxQuestion), toLine(answer, maxQuestion)]
  // The answer is a person's. The question is a model's, which may repeat what it has read.
  const flags = findInstructions(question)
  return {
    ...{ finding: 'correction', key: `task ${toQuestionKey(asked)} ${toQuestionKey(said)}`, operationId, flags },
    situation: `A run has to know ${quote(asked, flags)}.`,
    advice: `A person answered ${JSON.stringify(said)}.`,
    outcome: 'The run went on with the answer of a person.',
  }
}

const toRejected = ({ operationId, change, reason }: RejectedChange): Seen => ({
  ...{ finding: 'correction', key: `rejected ${change}`, operationId, flags: [] },
  situation: `A run is about to write what it wrote in the change ${change}.`,
  advice:
    reason === null
      ? 'A person rejected it without a reason.'
      : `A person rejected it: ${JSON.stringify(toLine(reason, maxQuestion))}.`,
  outcome: 'The change was rejected.',
})

const toCorrected = ({ operationId, change, reason, item }: CorrectedRead): Seen => ({
  ...{ finding: 'correction', key: `corrected ${item}`, operationId, flags: [] },
  situation: `A run relies on the ${item}.`,
  advice: `What it said then was corrected by the change ${change}${reason === null ? '' : `: ${JSON.stringify(toLine(reason, maxQuestion))}`}. Read it again before relying on it.`,
  outcome: 'An answer relied on knowledge that was wrong.',
})

export type Journal = {
  operations: readonly JournalOperation[]
  tasks: readonly AnsweredTask[]
  rejected: readonly RejectedChange[]
  corrected: readonly CorrectedRead[]
}

/** A model may call a tool that there is not, by any name. */
const isToolName = (name: string): boolean => /^[\w.-]{1,128}$/u.test(name)

const toSeen = (operation: JournalOperation): Seen[] => {
  const { name, status, error, evidence, question } = operation
  if (!isToolName(name)) return []
  if (status === 'failed' && error) {
    const flags = findInstructions(error)
    return [toFailure({ ...operation, flags })]
  }
  if (status !== 'succeeded' || evidence !== 'none' || !question || toQuestionKey(question) === '') return []
  return [toUnanswered(operation, toLine(question, maxQuestion), findInstructions(question))]
}

/** Extracts from the journal of a run. */
export const extractRun = ({ operations, tasks, rejected, corrected }: Journal): Extract => {
  // The answer of a tool may have led the model to its next calls: a warning on it is one on all that follows.
  let warned: Seen['flags'] = []
  const ofOperations: Seen[] = []
  const tools: Extract['tools'] = []
  const flagsAt = new Map<string, Seen['flags']>()
  for (const operation of operations) {
    flagsAt.set(operation.id, warned)
    for (const seen of toSeen(operation)) ofOperations.push({ ...seen, flags: joinFlags([seen.flags, warned]) })
    if (operation.status === 'succeeded') tools.push([operation.name, operation.id])
    warned = joinFlags([warned, findInstructions(operation.output ?? ''), findInstructions(operation.error ?? '')])
  }
  const ofPeople = [...tasks.map(toAnswered), ...rejected.map(toRejected), ...corrected.map(toCorrected)].map(
    (seen) => ({ ...seen, flags: joinFlags([seen.flags, flagsAt.get(seen.operationId) ?? []]) }),
  )
  return { tools: tools.slice(0, maxTools), seen: [...ofPeople, ...ofOperations].slice(0, maxSeen), flags: warned }
}

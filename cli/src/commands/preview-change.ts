import { setTimeout } from 'node:timers/promises'
import type { BrainClient } from '@noema/sdk'
import { connectBrain } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { printable, writeJson, writeLine, writeStyledLine } from '../output.ts'
import { parseNumber } from '../parse-options.ts'
import { createStyle, type Style } from '../style.ts'

type Preview = Awaited<ReturnType<BrainClient['changes']['preview']>>
type Answered = Preview['questions'][number]
type ChangeEval = NonNullable<Preview['eval']>
type OnBrain = GlobalOptions & { brain?: string }

/** The results of a question as lines: those of both sides, those that left and those that entered. */
const toLines = ({ before, after, entered, left, changed, moved }: Answered, style: Style): string[] => {
  const isIn = (places: Answered['entered'], { type, id }: Answered['entered'][number]) =>
    places.some((one) => one.type === type && one.id === id)
  const toMoved = ({ type, id }: Answered['entered'][number]): string => {
    const one = moved.find((place) => place.type === type && place.id === id)
    return one ? ` (was ${one.from})` : ''
  }
  const name = ({ type, id, title }: Answered['before']['results'][number]) => printable(`${type} ${id}  ${title}`)
  const toShown = (one: Answered['after']['results'][number]): string =>
    isIn(changed, one) ? style('yellow', `${name(one)} (changed)`) : name(one)
  const gone = before.results.filter((one) => isIn(left, one)).map((one) => style('red', `  - ${name(one)}`))
  const now = after.results.map((one, index) =>
    isIn(entered, one) ? style('green', `  + ${name(one)}`) : `    ${index + 1}. ${toShown(one)}${toMoved(one)}`,
  )
  return [`  evidence: ${before.evidence} before, ${after.evidence} after`, ...now, ...gone]
}

const pollMilliseconds = 1_000

/** Waits until an eval says something about a change. */
const awaitEval = async (
  brain: BrainClient,
  id: string,
  { found, signal }: { found: ChangeEval | undefined; signal: AbortSignal },
): Promise<ChangeEval | undefined> => {
  let tested = found
  while (tested?.state === 'pending') {
    await setTimeout(pollMilliseconds, undefined, { signal })
    tested = (await brain.changes.preview(id, { eval: tested.evalId }, { signal })).eval
  }
  return tested
}

const describeEval = ({ evalId, state, reason, cases, before, after, broken, mended }: ChangeEval): string[] => [
  `${evalId}  ${state}${reason === undefined ? '' : `  ${reason}`}`,
  ...(before && after ? [`  ${before.passed} of ${cases} passed before, ${after.passed} after`] : []),
  ...(broken?.ids ?? []).map((name) => `  - ${name}`),
  ...(mended?.ids ?? []).map((name) => `  + ${name}`),
]

/** Asks questions with and without a pending change, and runs an eval both ways. */
export const previewChange = async (
  context: Context,
  id: string,
  options: OnBrain & { question?: string[]; limit?: string; eval?: string },
): Promise<number> => {
  const { stdout, stderr, signal, env } = context
  const { brain } = connectBrain(context, options)
  const limit = parseNumber(options.limit, '--limit')
  const { question: questions = [], eval: evalId } = options
  if (questions.length === 0 && evalId === undefined) throw new UsageError('Ask something: --question, or --eval.')
  const body = {
    ...(questions.length > 0 ? { questions } : {}),
    ...(limit === undefined ? {} : { limit }),
    ...(evalId === undefined ? {} : { eval: evalId }),
  }
  const first = await brain.changes.preview(id, body, { signal })
  const tested = await awaitEval(brain, id, { found: first.eval, signal })
  const found = { ...first, ...(tested ? { eval: tested } : {}) }
  const code = tested && tested.state !== 'passed' ? exitCodes.evalFailed : exitCodes.ok
  if (options.json) {
    await writeJson(stdout, found)
    return code
  }
  const style = createStyle(stdout, env)
  for (const answer of found.questions) {
    await writeStyledLine(stdout, style('bold', printable(answer.question)))
    for (const line of toLines(answer, style)) await writeStyledLine(stdout, line)
  }
  if (tested) for (const line of describeEval(tested)) await writeLine(stdout, line)
  const blockedBy = found.preview?.blockedBy
  if (blockedBy !== undefined) await writeLine(stderr, `noema: Publishing it now would be blocked. ${blockedBy}`)
  if (found.unanswered > 0) await writeLine(stderr, `noema: There was no time for ${found.unanswered} questions.`)
  return code
}

/** Adds a comment to a change. */
export const commentOnChange = async (
  context: Context,
  [id, text]: [string, string],
  options: OnBrain,
): Promise<number> => {
  const { brain } = connectBrain(context, options)
  const { comment } = await brain.changes.comment(id, { text }, { signal: context.signal })
  if (options.json) await writeJson(context.stdout, comment)
  else await writeLine(context.stderr, `Commented on ${id}.`)
  return exitCodes.ok
}

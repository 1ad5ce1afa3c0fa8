import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { type Sandbox, startPython } from '../../shared/isolation/bubblewrap.ts'
import { runProcess } from '../../shared/isolation/run-process.ts'
import type { Code, CodeAnswer, WrittenFile } from './code-messages.ts'
import { maxSeconds, startSeconds, toEnded } from './run-isolated-code.ts'

// Runs Python of an agent in a sandbox. The process may be under the control of its code, so its answer is checked as input of a stranger is.

const program = readFileSync(new URL('run_code.py', import.meta.url), 'utf8')

const MiB = 1024 * 1024
const memoryBytes = 512 * MiB
const maxHeadBytes = MiB
const maxFilesBytes = 4 * MiB
const maxDepth = 100

const answerHead = z.strictObject({
  result: z
    .string()
    .max(128 * 1024)
    .optional(),
  output: z.string().max(65 * 1024),
  error: z.string().max(4_000).optional(),
  files: z.array(z.strictObject({ path: z.string().max(1_000), bytes: z.int().min(0).max(MiB) })).max(10),
})

/** True for JSON that no later step could fail on for its depth. Its time grows with the length alone, also for text that is no JSON. */
const isShallow = (json: string): boolean => {
  let depth = 0
  let isText = false
  for (let at = 0; at < json.length; at++) {
    const character = json[at]
    if (character === '"') isText = !isText
    else if (isText && character === '\\') at++
    else if (!isText && (character === '[' || character === '{')) depth++
    else if (!isText && (character === ']' || character === '}')) depth--
    if (depth > maxDepth) return false
  }
  return true
}

const parseJson = (text: string): unknown => {
  if (!isShallow(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const failed = (error: string): CodeAnswer => ({ output: '', files: [], error })

/** The answer as code may give it; undefined for anything else. */
const parseAnswer = (answer: Buffer): CodeAnswer | undefined => {
  const end = answer.subarray(0, maxHeadBytes).indexOf('\n')
  const { data } = answerHead.safeParse(end < 0 ? undefined : parseJson(answer.toString('utf8', 0, end)))
  if (!data) return undefined
  const { result, output, error, files: named } = data
  let at = end + 1
  const files = named.map(({ path, bytes }): WrittenFile => {
    at += bytes
    return { path: path.toWellFormed(), content: answer.subarray(at - bytes, at) }
  })
  if (at !== answer.length) return undefined
  const texts = { output: output.toWellFormed(), ...(error === undefined ? {} : { error: error.toWellFormed() }) }
  if (error !== undefined || result === undefined) return { files: [], error: 'The code ended early.', ...texts }
  return parseJson(result) === undefined ? undefined : { ...texts, files, result }
}

/** Runs code, and returns what it printed and wrote, and its result or error. Throws where the signal ended it. */
export const runPython = async (
  sandbox: Sandbox,
  { code, input, files, now, mayWrite }: Code,
  { signal, seconds = maxSeconds }: { signal: AbortSignal; seconds?: number },
): Promise<CodeAnswer> => {
  const named = files.map(({ path, bytes }) => ({ path, bytes: bytes.length }))
  const head = { code, input: JSON.parse(input), files: named, now: now.getTime(), mayWrite, seconds, memoryBytes }
  const sent = (async function* () {
    yield Buffer.from(`${JSON.stringify(head)}\n`)
    for (const { bytes } of files) yield bytes
  })()
  const limits = { memoryBytes, maxAnswerBytes: maxHeadBytes + maxFilesBytes, seconds: seconds + startSeconds }
  const run = await runProcess(startPython(sandbox, program), sent, { limits, signal })
  if ('endedBy' in run) return toEnded(run.endedBy)
  return parseAnswer(run.answer) ?? failed('The code ended its process, or answered nonsense.')
}

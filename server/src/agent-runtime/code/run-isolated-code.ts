import { fileURLToPath } from 'node:url'
import { runIsolated } from '../../shared/isolation/run-isolated.ts'
import type { IsolationEnd } from '../../shared/isolation/run-process.ts'
import type { Code, CodeAnswer, CodeRequest, ScriptAnswer } from './code-messages.ts'

// Runs an agent's JavaScript in a separate process, which ends with the call, so no call sees another's data.

const program = {
  program: fileURLToPath(new URL('code-process.ts', import.meta.url)),
  libraries: ['quickjs-emscripten-core', '@jitl/quickjs-wasmfile-release-sync'],
  argument: '',
}

/** The seconds that code may take, and those in which its process starts. */
export const maxSeconds = 10
export const startSeconds = 2
const limits = { memoryBytes: 256 * 1024 * 1024, maxAnswerBytes: 32 * 1024 * 1024 }

/** The memory of the code itself. */
const memoryBytes = 64 * 1024 * 1024

const errors: Record<Exclude<IsolationEnd, 'stopped'>, string> = {
  time: 'The code took longer than it may.',
  memory: 'The code took more memory than it may.',
  too_long: 'The code answered more than it may.',
  input: 'The code could not be read.',
}

/** The answer for code whose process was ended. Throws where the signal ended it. */
export const toEnded = (endedBy: IsolationEnd): CodeAnswer => {
  if (endedBy === 'stopped') throw new Error('The code was stopped.')
  return { output: '', files: [], error: errors[endedBy] }
}

/** Runs code, and returns what it printed and wrote, and its result or error. Throws where the signal ended it. */
export const runIsolatedCode = async (
  { code, input, files: given, now, mayWrite }: Code,
  { signal, seconds = maxSeconds }: { signal: AbortSignal; seconds?: number },
): Promise<CodeAnswer> => {
  const texts = Object.fromEntries(given.map(({ path, bytes }) => [path, bytes.toString('utf8')]))
  const request: CodeRequest = { code, input, files: texts, now: now.getTime(), mayWrite, seconds, memoryBytes }
  const sent = (async function* () {
    yield Buffer.from(JSON.stringify(request))
  })()
  const run = await runIsolated(program, sent, { limits: { ...limits, seconds: seconds + startSeconds }, signal })
  if ('endedBy' in run) return toEnded(run.endedBy)
  const { files, ...answer }: ScriptAnswer = JSON.parse(run.answer)
  return { ...answer, files: files.map(({ path, content }) => ({ path, content: Buffer.from(content) })) }
}

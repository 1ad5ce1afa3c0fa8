import { Readable, Writable } from 'node:stream'
import { testTiming } from '@noema/sdk/test/test-timing.ts'
import type { Context, Operator } from '../context.ts'
import type { Output } from '../output.ts'
import { run } from '../program.ts'

/** A stream that collects its text; `onText` gets each piece at once. */
export const sink = (onText: (text: string) => void = () => undefined) => {
  let text = ''
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      text += chunk.toString()
      onText(text)
      done()
    },
  })
  const output: Output = stream
  return { output, text: () => text }
}

const notLoaded = async (): Promise<never> => {
  throw new Error('This command loads no server.')
}

/** The operator of a service's database, as far as a test needs it. */
export const scriptOperator = (answers: Partial<Operator>): Context['loadOperator'] => {
  const notAsked = () => {
    throw new Error('This command does not ask for that.')
  }
  const names = ['mintManagementKey', 'listManagementKeys', 'revokeManagementKey', 'rotateManagementKey', 'resetSignIn']
  const others = Object.fromEntries([...names, 'settingsExample', 'checkSettings'].map((name) => [name, notAsked]))
  return async () => ({ ...others, ...answers }) as Operator
}

/** Runs a command line in this process against the service at `url`, with a key, and returns its output. */
export const runCli = async (argv: readonly string[], url: string, given: Partial<Context> = {}) => {
  const stdout = sink()
  const stderr = sink()
  const code = await run(argv, {
    stdout: stdout.output,
    stderr: stderr.output,
    stdin: Readable.from([]),
    env: { NOEMA_BASE_URL: url, NOEMA_API_KEY: 'nsk_test' },
    cwd: '/',
    signal: new AbortController().signal,
    self: { command: '/usr/bin/noema', args: [] },
    timing: testTiming().timing,
    loadServer: notLoaded,
    loadOperator: notLoaded,
    loadDoctor: notLoaded,
    loadBackups: notLoaded,
    loadUpgrade: notLoaded,
    loadDistribution: notLoaded,
    loadBaseBackups: notLoaded,
    loadFileMoves: notLoaded,
    ...given,
  })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

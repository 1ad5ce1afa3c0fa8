import { Readable, Writable } from 'node:stream'
import { testTiming } from '@noema/sdk/test/test-timing.ts'
import type { Context } from '../context.ts'
import type { Output } from '../output.ts'
import { run } from '../program.ts'

/** A stream that keeps what is written; `onText` hears of it at once. */
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

/** Runs a command line in this process against the service at `url`, with a key, and gives what it wrote. */
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
    timing: testTiming().timing,
    loadServer: notLoaded,
    loadOperator: notLoaded,
    ...given,
  })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

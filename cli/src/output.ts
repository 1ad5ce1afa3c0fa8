import { ApiError } from '@noema/sdk/errors.ts'
import { toErrorKind } from './exit-codes.ts'

/** The output of a command: standard output and error, or a test's stream. */
export type Output = NodeJS.WritableStream & { isTTY?: boolean | undefined; columns?: number | undefined }

/** Text from elsewhere with its control characters made visible, so that it cannot drive the terminal. */
export const printable = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
  })

/** Writes text and waits until the stream took it, so that a slow reader slows the command. Rejects with EPIPE when it is gone. */
const write = (output: Output, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    output.write(text, (error?: Error | null) => (error ? reject(error) : resolve()))
  })

/** Writes a piece of text as it is, but for control characters other than line breaks and tabs. */
export const writeText = (output: Output, text: string): Promise<void> =>
  write(output, text.replaceAll(/[^\n\t]+/g, printable))

/** Writes one line of text, control characters made visible. */
export const writeLine = (output: Output, text: string): Promise<void> => write(output, `${printable(text)}\n`)

/** Writes one line whose parts are `printable` already and may carry styles of ours. */
export const writeStyledLine = (output: Output, line: string): Promise<void> => write(output, `${line}\n`)

/** Writes one JSON document on one line. */
export const writeJson = (output: Output, value: unknown): Promise<void> => write(output, `${JSON.stringify(value)}\n`)

/** Checks whether bars may be drawn: only for a person at a terminal who did not ask for plain output. */
export const isLively = (output: Output, env: Readonly<Record<string, string | undefined>>, json: boolean): boolean =>
  output.isTTY === true && !json && !env.CI && !env.NO_COLOR

/** Says on standard error why a command failed: as sentences, or under `--json` as the API's envelope with the request id. */
export const writeFailure = async (stderr: Output, error: unknown, json: boolean): Promise<void> => {
  const message = error instanceof Error ? error.message : String(error)
  const { code, details = [], requestId } = error instanceof ApiError ? error : {}
  if (json) {
    const envelope = { kind: toErrorKind(error), message, code, details: details.length > 0 ? details : undefined }
    return writeJson(stderr, { error: envelope, requestId: requestId ?? null })
  }
  for (const line of `noema: ${message}`.split('\n')) await writeLine(stderr, line)
  const lines = details.map((detail) => `${detail.path}: ${detail.message}`)
  for (const line of lines) if (!message.startsWith(line)) await writeLine(stderr, `  ${line}`)
  if (requestId) await writeLine(stderr, `  request id ${requestId}`)
}

import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/** Asks for a line at the terminal; undefined where it was closed without one, or the question is over. */
export type Prompt = (question: string, signal?: AbortSignal) => Promise<string | undefined>

/** Asks at the terminal. Ctrl-C there interrupts the command. */
export const promptAt =
  (input: NodeJS.ReadStream, output: NodeJS.WriteStream, interruption: AbortController): Prompt =>
  async (question, over = interruption.signal) => {
    const terminal = createInterface({ input, output })
    // The terminal keeps Ctrl-C to itself while it waits for a line, and Ctrl-D closes it without one.
    terminal.once('SIGINT', () => interruption.abort())
    const closed = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)))
    const signal = AbortSignal.any([over, interruption.signal])
    const asked = terminal.question(question, { signal }).catch((error: unknown) => {
      if (over.aborted) return undefined
      throw error
    })
    try {
      return await Promise.race([asked, closed])
    } finally {
      terminal.close()
    }
  }

/** Asks for a line that is not shown while it is typed: a key, a password. */
export const promptHiddenAt =
  (input: NodeJS.ReadStream, output: NodeJS.WriteStream, interruption: AbortController): Prompt =>
  async (question) => {
    output.write(question)
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
    const terminal = createInterface({ input, output: silent, terminal: true })
    terminal.once('SIGINT', () => interruption.abort())
    const closed = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)))
    try {
      return await Promise.race([terminal.question('', { signal: interruption.signal }), closed])
    } finally {
      terminal.close()
      output.write('\n')
    }
  }

/** Asks a yes-or-no question; anything but y or yes is no. */
export const askBy =
  (prompt: Prompt) =>
  async (question: string): Promise<boolean> =>
    /^y(es)?$/i.test((await prompt(`${question} (y/N) `))?.trim() ?? '')

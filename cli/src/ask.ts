import { createInterface } from 'node:readline/promises'

/** Asks a yes-or-no question at the terminal; anything but y or yes is no. Ctrl-C there interrupts the command. */
export const askAt =
  (input: NodeJS.ReadStream, output: NodeJS.WriteStream, interruption: AbortController) =>
  async (question: string): Promise<boolean> => {
    const terminal = createInterface({ input, output })
    // The terminal keeps Ctrl-C to itself while it waits for a line, and Ctrl-D closes it without one.
    terminal.once('SIGINT', () => interruption.abort())
    const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')))
    try {
      const { signal } = interruption
      const answer = await Promise.race([terminal.question(`${question} (y/N) `, { signal }), closed])
      return /^y(es)?$/i.test(answer.trim())
    } finally {
      terminal.close()
    }
  }

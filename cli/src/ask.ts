import { createInterface } from 'node:readline/promises'

/** Asks a yes-or-no question at the terminal; anything but y or yes is no. */
export const askAt =
  (input: NodeJS.ReadStream, output: NodeJS.WriteStream, signal: AbortSignal) =>
  async (question: string): Promise<boolean> => {
    const terminal = createInterface({ input, output })
    try {
      return /^y(es)?$/i.test((await terminal.question(`${question} (y/N) `, { signal })).trim())
    } finally {
      terminal.close()
    }
  }

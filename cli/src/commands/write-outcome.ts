import type { Context, GlobalOptions } from '../context.ts'
import { writeJson, writeLine } from '../output.ts'

type Outcome = {
  outcome: 'landed' | 'staged'
  change: { id: string }
  stateVersion: number | null
  missing?: string[] | undefined
}

/** Prints the outcome of a write: the id of the item to standard output, and notes to standard error. */
export const writeOutcome = async (
  { stdout, stderr }: Context,
  options: GlobalOptions,
  { answer, id, brain }: { answer: Outcome; id: string; brain: string },
): Promise<void> => {
  if (options.json) return writeJson(stdout, answer)
  await writeLine(stdout, id)
  if (answer.outcome === 'staged')
    await writeLine(stderr, `It waits for review: noema changes show ${answer.change.id} --brain ${brain}`)
  if (answer.missing && answer.missing.length > 0)
    await writeLine(stderr, `noema: No record has the ids ${answer.missing.join(', ')}, which are linked to.`)
}

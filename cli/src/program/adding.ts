import type { Command } from 'commander'
import { requireBrain } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'

/** The arguments of functions that add commands: the program, its context, and the receiver of the exit code. */
export type Adding = { program: Command; context: Context; finish: (code: number) => void }

/** The option of every command that is about one Brain. */
export const brainOption = ['--brain <handle>', 'the Brain (NOEMA_BRAIN, or that of the profile)'] as const

export const limitOption = ['--limit <count>', 'maximum number of rows (default: 100)'] as const
export const keyOption = [
  '--key <key>',
  'idempotency key: a repeat with the same key answers as the first did',
] as const
export const yesOption = ['--yes', 'do it without asking'] as const

/** Collects an option that may be given several times. */
export const collect = (value: string, gathered: string[] = []): string[] => [...gathered, value]

/** The options of a command, with the Brain that it means. */
export const readBrainOptions = <Options extends GlobalOptions & { brain: string }>(
  context: Context,
  command: Command,
): Options => {
  const options = command.optsWithGlobals<Options>()
  return { ...options, brain: requireBrain(context, options) }
}

import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { writeTable } from '../table.ts'

export type InstallOptions = GlobalOptions & { brain?: string; model?: string }

/** Lists the packs that come with the service. */
export const listPacks = async (context: Context, options: GlobalOptions): Promise<number> => {
  const { signal } = context
  const { packs } = await connectClient(context, options).packs.list({ signal })
  await writeTable(context, options, {
    rows: packs,
    columns: [
      { title: 'PACK', value: ({ name }) => name },
      { title: 'WHAT IT IS', value: ({ description }) => description, shrinks: true },
    ],
  })
  return exitCodes.ok
}

/** Installs a pack on a Brain, and prints each thing that it brought with what became of it. */
export const installPack = async (context: Context, name: string, options: InstallOptions): Promise<number> => {
  const { signal, stdout, stderr } = context
  const { brain, model } = options
  const { installed } = await connectClient(context, options).packs.install(name, { brain, model }, { signal })
  if (options.json) {
    await writeJson(stdout, installed)
    return exitCodes.ok
  }
  for (const { type, name: item, outcome, id, change } of installed.items)
    await writeLine(stdout, `${outcome.padEnd(7)}  ${type.padEnd(7)}  ${item}  ${change ?? id ?? ''}`.trimEnd())
  const staged = installed.items.filter(({ outcome }) => outcome === 'staged').length
  if (staged > 0)
    await writeLine(stderr, `noema: ${staged} changes of the Brain ${installed.brain.handle} wait for review.`)
  return exitCodes.ok
}

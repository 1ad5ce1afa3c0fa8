import type { Client } from '@noema/sdk'
import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { confirmLoss, parseListLimit } from '../parse-options.ts'
import { type Column, writeList } from '../table.ts'

type Brain = Awaited<ReturnType<Client['brains']['put']>>['brain']
type BrainMode = Brain['mode']

/** The values of `--mode`. */
export const brainModes = ['direct', 'review'] as const satisfies BrainMode[]

type CreateOptions = GlobalOptions & { name?: string; purpose?: string; mode?: BrainMode; schema?: string }

const columns: Column<Brain>[] = [
  { title: 'BRAIN', value: ({ handle }) => handle },
  { title: 'MODE', value: ({ mode }) => mode },
  { title: 'STATE', value: ({ availability }) => availability },
  { title: 'VERSION', value: ({ stateVersion }) => stateVersion },
  { title: 'NAME', value: ({ name }) => name, shrinks: true },
]

/** Lists the Brains of the organization. */
export const listBrains = async (context: Context, options: GlobalOptions & { limit?: string }): Promise<number> => {
  const { limit, page } = parseListLimit(options.limit)
  const list = connectClient(context, options).brains.list({ limit: page }, { signal: context.signal })
  await writeList(context, options, {
    ...{ list, columns, limit },
    none: 'There is no Brain yet. Make one: noema brains create <handle>',
  })
  return exitCodes.ok
}

/** Creates a Brain, or gives the one of this handle the name and purpose. Prints its handle. */
export const createBrain = async (context: Context, handle: string, options: CreateOptions): Promise<number> => {
  const { name, purpose, mode, schema, json } = options
  const body = {
    ...(name === undefined ? {} : { name }),
    ...(purpose === undefined ? {} : { purpose }),
    ...(mode === undefined ? {} : { mode }),
    ...(schema === undefined ? {} : { schema }),
  }
  const { brain } = await connectClient(context, options).brains.put(handle, body, { signal: context.signal })
  await (json ? writeJson(context.stdout, brain) : writeLine(context.stdout, brain.handle))
  return exitCodes.ok
}

/** Shows a Brain: its mode, its content, and its pending work. */
export const showBrain = async (context: Context, handle: string, options: GlobalOptions): Promise<number> => {
  const { brain } = await connectClient(context, options).brains.get(handle, { signal: context.signal })
  if (options.json) {
    await writeJson(context.stdout, brain)
    return exitCodes.ok
  }
  const { counts, indexing } = brain
  const isIndexed = indexing.pendingEvents + indexing.pendingPassages === 0
  const lines = [
    ['Brain', `${brain.handle}${brain.name ? ` (${brain.name})` : ''}`],
    ['Purpose', brain.purpose],
    ['Mode', brain.mode],
    ['State', brain.hold ? `held: ${brain.hold.reason}` : brain.availability],
    ['Version', `state ${brain.stateVersion}, schema ${brain.schemaVersion}`],
    ['Holds', `${counts.records} records, ${counts.statements} statements, ${counts.documents} documents`],
    ['Waiting', `${counts.pendingChanges} changes for review`],
    [
      'Search',
      isIndexed ? 'up to date' : `${indexing.pendingEvents} events, ${indexing.pendingPassages} passages behind`,
    ],
    ['Last write', brain.lastWriteAt],
  ]
  for (const [title, value] of lines) if (value) await writeLine(context.stdout, `${title?.padEnd(10)}  ${value}`)
  return exitCodes.ok
}

/** Deletes a Brain and everything in it, after a yes. */
export const deleteBrain = async (
  context: Context,
  handle: string,
  options: GlobalOptions & { yes?: boolean },
): Promise<number> => {
  const client = connectClient(context, options)
  if (!options.yes) {
    const { brain } = await client.brains.get(handle, { signal: context.signal })
    const { records, statements, documents } = brain.counts
    const held = `${records} records, ${statements} statements and ${documents} documents`
    await confirmLoss(context, options, `Permanently delete the Brain ${handle} with ${held}?`)
  }
  const answer = await client.brains.delete(handle, { signal: context.signal })
  await (options.json ? writeJson(context.stdout, answer) : writeLine(context.stderr, `Deleted the Brain ${handle}.`))
  return exitCodes.ok
}

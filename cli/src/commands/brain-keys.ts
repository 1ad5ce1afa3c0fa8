import type { BrainClient } from '@noema/sdk'
import { connectBrain } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { parseListLimit, splitList } from '../parse-options.ts'
import { type Column, writeList } from '../table.ts'

type BrainKey = Awaited<ReturnType<BrainClient['keys']['list']>>['keys'][number]
type Capability = BrainKey['capabilities'][number]
type Shared = GlobalOptions & { brain?: string }

const capabilities = ['read', 'write', 'review', 'admin'] as const satisfies Capability[]

/** The capabilities that an option names. */
export const parseCapabilities = (given: string | undefined): Capability[] =>
  (splitList(given) ?? []).map((name) => {
    const found = capabilities.find((known) => known === name)
    if (found) return found
    throw new UsageError(`Unknown capability ${JSON.stringify(name)}; there are ${capabilities.join(', ')}.`)
  })

const columns: Column<BrainKey>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'STATUS', value: ({ status }) => status },
  { title: 'MAY', value: (key) => key.capabilities.join(',') },
  { title: 'LAST USED', value: ({ lastUsedAt }) => lastUsedAt ?? 'never' },
  { title: 'NAME', value: ({ name }) => name, shrinks: true },
]

/** Mints a key for one Brain. The secret alone goes to standard output. */
export const mintBrainKey = async (
  context: Context,
  options: Shared & { name: string; capabilities?: string },
): Promise<number> => {
  const { brain, handle } = connectBrain(context, options)
  const granted = parseCapabilities(options.capabilities ?? 'read')
  const minted = await brain.keys.mint({ name: options.name, capabilities: granted }, { signal: context.signal })
  if (options.json) await writeJson(context.stdout, minted)
  else {
    const may = granted.join(', ')
    await writeLine(context.stderr, `Minted ${minted.key.id} "${options.name}" for the Brain ${handle}: ${may}.`)
    await writeLine(context.stdout, minted.secret ?? '')
  }
  return exitCodes.ok
}

/** Lists the keys of a Brain. */
export const listBrainKeys = async (context: Context, options: Shared & { limit?: string }): Promise<number> => {
  const { limit, page } = parseListLimit(options.limit)
  const list = connectBrain(context, options).brain.keys.list({ limit: page }, { signal: context.signal })
  await writeList(context, options, { ...{ list, columns, limit }, none: 'This Brain has no key of its own.' })
  return exitCodes.ok
}

/** Replaces a key of a Brain. The new secret alone goes to standard output. */
export const rotateBrainKey = async (context: Context, id: string, options: Shared): Promise<number> => {
  const rotated = await connectBrain(context, options).brain.keys.rotate(id, { signal: context.signal })
  if (options.json) await writeJson(context.stdout, rotated)
  else {
    const { key, previous } = rotated
    await writeLine(context.stderr, `${key.id} replaces ${previous.id}, which works until ${previous.worksUntil}.`)
    await writeLine(context.stdout, rotated.secret)
  }
  return exitCodes.ok
}

/** Revokes a key of a Brain. */
export const revokeBrainKey = async (context: Context, id: string, options: Shared): Promise<number> => {
  const { key, paused } = await connectBrain(context, options).brain.keys.revoke(id, { signal: context.signal })
  if (options.json) {
    await writeJson(context.stdout, key)
    return exitCodes.ok
  }
  await writeLine(context.stderr, `Revoked ${key.id} "${key.name}".`)
  for (const { id: webhook, url } of paused.webhooks)
    await writeLine(context.stderr, `Its webhook ${webhook} is paused; it sent to ${new URL(url).host}.`)
  return exitCodes.ok
}

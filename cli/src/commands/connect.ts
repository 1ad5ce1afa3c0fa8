import { type AiClient, aiClients, findLastUse, isPublicUrl, toMcpServer } from '@noema/contracts/ai-clients.ts'
import { systemTiming } from '@noema/sdk/timing.ts'
import { findByName } from '../client-files.ts'
import { connectBrain, requireConnection } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { writeTable } from '../table.ts'

type ConnectOptions = GlobalOptions & { brain?: string; wait?: boolean }

const limit = 200
const waitMilliseconds = 2_000

/** Reads when each client last used the Brain. A Brain key may not list apps or keys: then nothing is known. */
const readUses = async (context: Context, options: ConnectOptions) => {
  const { signal } = context
  const { client, handle, brain } = connectBrain(context, options)
  if (requireConnection(context, options).apiKey.startsWith('nbk_')) return undefined
  const [{ brain: about }, { apps }, { keys }] = await Promise.all([
    client.brains.get(handle, { signal }),
    client.apps.list({ order: 'desc', limit }, { signal }),
    brain.keys.list({ order: 'desc', limit }, { signal }),
  ])
  return (known: AiClient) => findLastUse(known, about.id, { apps, keys })
}

const listClients = async (context: Context, options: ConnectOptions): Promise<number> => {
  const uses = await readUses(context, options)
  await writeTable(context, options, {
    rows: aiClients.map((client) => ({ client: client.name, title: client.title, lastUsedAt: uses?.(client) ?? null })),
    columns: [
      { title: 'CLIENT', value: ({ client }) => client },
      { title: 'LAST USED', value: ({ lastUsedAt }) => lastUsedAt ?? (uses ? 'never' : 'unknown') },
      { title: 'NAME', value: ({ title }) => title, shrinks: true },
    ],
  })
  return exitCodes.ok
}

const howTo = { run: 'Run in a terminal:', open: 'Open this link:' } as const

/** Waits until a client uses the Brain again. Ctrl-C ends it. */
const waitForUse = async (context: Context, options: ConnectOptions, client: AiClient, before: string | null) => {
  const { signal, timing = systemTiming } = context
  for (;;) {
    const now = (await readUses(context, options))?.(client)
    if (now !== undefined && now !== before) return now
    await timing.sleep(waitMilliseconds, signal)
  }
}

/** Shows the one thing that connects a client with a Brain, and when it last used it; without a client, all of them. */
export const connect = async (context: Context, name: string | undefined, options: ConnectOptions): Promise<number> => {
  if (name === undefined) return listClients(context, options)
  const { stdout, stderr } = context
  const client = findByName(aiClients, name)
  const { baseUrl } = requireConnection(context, options)
  const server = toMcpServer(baseUrl, connectBrain(context, options).handle)
  const step = client.step(server)
  const lastUsedAt = (await readUses(context, options))?.(client) ?? null
  if (options.json) {
    await writeJson(stdout, { client: client.name, ...server, step, next: client.next(server), lastUsedAt })
    return exitCodes.ok
  }
  if (client.isHosted && !isPublicUrl(server.url))
    await writeLine(stderr, `${client.title} reaches public https URLs only, and this service is at ${baseUrl}.`)
  await writeLine(stderr, step.kind === 'paste' ? `Paste into ${step.place}:` : howTo[step.kind])
  await writeLine(stdout, step.text)
  await writeLine(stderr, client.next(server))
  if (lastUsedAt !== null) await writeLine(stderr, `It last used this Brain at ${lastUsedAt}.`)
  if (options.wait)
    await writeLine(
      stderr,
      `Connected: it used the Brain at ${await waitForUse(context, options, client, lastUsedAt)}.`,
    )
  return exitCodes.ok
}

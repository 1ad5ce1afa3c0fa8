import { toClientKeyName } from '@noema/contracts/ai-clients.ts'
import { findByName, findPlace, readSettings, replaceFile } from '../client-files.ts'
import { mintClientKey } from '../client-keys.ts'
import { requireBrain, requireConnection } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { writeJson, writeLine, writeText } from '../output.ts'
import { parseCapabilities } from './brain-keys.ts'
import { mcpClients, type ServerCommand } from './mcp-clients.ts'
import { addServer } from './mcp-settings.ts'

export type InstallOptions = GlobalOptions & {
  brain?: string
  name: string
  capabilities?: string
  print?: boolean
}

const toServer = ({ self }: Context, brain: string, baseUrl: string, key: string): ServerCommand => ({
  command: self.command,
  args: [...self.args, 'mcp', '--brain', brain],
  env: { NOEMA_BASE_URL: baseUrl, NOEMA_API_KEY: key },
})

/** Adds a Brain to an AI client's own list of servers, or prints what would be added. */
export const installMcp = async (context: Context, name: string, options: InstallOptions): Promise<number> => {
  const { stdout, stderr } = context
  const client = findByName(mcpClients, name)
  const file = client.file(findPlace(context))
  const brain = requireBrain(context, options)
  const { baseUrl } = requireConnection(context, options)
  const add = (text: string, secret: string) =>
    addServer(text, { file, client, name: options.name, server: toServer(context, brain, baseUrl, secret) })
  if (options.print) {
    const shown = add('', 'nbk_…')
    if (!options.json) await writeLine(stderr, `For ${client.title}, in ${file}:`)
    await writeText(stdout, options.json && client.format === 'json' ? `${JSON.stringify(JSON.parse(shown))}\n` : shown)
    return exitCodes.ok
  }
  const settings = await readSettings(file)
  // The file is checked before a key is minted for it.
  add(settings ?? '', '')
  const capabilities = parseCapabilities(options.capabilities ?? 'read')
  const key = await mintClientKey(context, options, { brain, name: toClientKeyName(client.title), capabilities })
  // Both files contain keys, which only their owner can read.
  const how = { isThere: settings !== undefined, isCopied: true }
  const backup = await replaceFile(file, add(settings ?? '', key.secret), how)
  if (options.json) {
    await writeJson(stdout, { client: client.name, file, backup: backup ?? null })
    return exitCodes.ok
  }
  await writeLine(stderr, `Added "${options.name}" to ${file}.${backup ? ` The old file is ${backup}.` : ''}`)
  await writeLine(stderr, client.next)
  return exitCodes.ok
}

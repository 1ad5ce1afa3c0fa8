import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { confirmLoss, parseNumber } from '../parse-options.ts'
import { writeTable } from '../table.ts'

export type InstallOptions = GlobalOptions & { brain?: string; model?: string; packVersion?: string; set?: string[] }

/** Lists the packs of the service and of the organization. */
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

type Client = ReturnType<typeof connectClient>
type Asked = { name: string; version: number | undefined; signal: AbortSignal }

/** The values of --set, each in the type of its parameter. */
const readParameters = async (client: Client, { name, version, signal }: Asked, set: readonly string[]) => {
  const { pack } = await client.packs.get(name, version === undefined ? {} : { version }, { signal })
  return Object.fromEntries(
    set.map((given): [string, string | number | boolean] => {
      const [parameter = '', ...rest] = given.split('=')
      const value = rest.join('=')
      const found = pack.parameters.find((one) => one.name === parameter)
      if (rest.length === 0 || !found)
        throw new UsageError(
          `--set ${given}: write name=value, with one of ${pack.parameters.map((one) => one.name).join(', ')}.`,
        )
      if (found.type === 'boolean' && (value === 'true' || value === 'false')) return [parameter, value === 'true']
      return [parameter, found.type === 'number' && value !== '' ? Number(value) : value]
    }),
  )
}

/** Installs a pack on a Brain, and prints each thing that it brought with what became of it. */
export const installPack = async (context: Context, name: string, options: InstallOptions): Promise<number> => {
  const { signal, stdout, stderr } = context
  const { brain, model, set } = options
  const client = connectClient(context, options)
  const version = parseNumber(options.packVersion, '--pack-version')
  const parameters = set && (await readParameters(client, { name, version, signal }, set))
  const { installed } = await client.packs.install(name, { brain, model, version, parameters }, { signal })
  if (options.json) {
    await writeJson(stdout, installed)
    return exitCodes.ok
  }
  for (const { type, name: item, outcome, id, change } of installed.items)
    await writeLine(stdout, `${outcome.padEnd(7)}  ${type.padEnd(7)}  ${item}  ${change ?? id ?? ''}`.trimEnd())
  const staged = installed.items.filter(({ outcome }) => outcome === 'staged').length
  const waiting = staged === 1 ? '1 change' : `${staged} changes`
  if (staged > 0)
    await writeLine(
      stderr,
      `noema: ${waiting} of the Brain ${installed.brain.handle} ${staged === 1 ? 'waits' : 'wait'} for review.`,
    )
  return exitCodes.ok
}

const readPackFile = async (path: string): Promise<object> => {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new UsageError(`${path} cannot be read as a file.`)
  })
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`${path} is not JSON.`)
  }
}

/** Stores a file as a pack of the organization. Its name is that of the file, unless it is given. */
export const pushPack = async (
  context: Context,
  file: string,
  options: GlobalOptions & { name?: string },
): Promise<number> => {
  const { cwd, signal, stdout, stderr } = context
  const path = resolve(cwd, file)
  const body = await readPackFile(path)
  const name = options.name ?? basename(path).replace(/(?:\.pack)?\.json$/, '')
  const { pack } = await connectClient(context, options).packs.put(name, body as never, { signal })
  if (options.json) await writeJson(stdout, pack)
  else await writeLine(stderr, `${pack.name} has the version ${pack.version}.`)
  return exitCodes.ok
}

/** Deletes a pack, after a yes. */
export const deletePack = async (
  context: Context,
  name: string,
  options: GlobalOptions & { yes?: boolean },
): Promise<number> => {
  await confirmLoss(context, options, `Delete the pack ${name} with its versions? What it brought to Brains stays.`)
  const answer = await connectClient(context, options).packs.delete(name, { signal: context.signal })
  if (options.json) await writeJson(context.stdout, answer)
  return exitCodes.ok
}

import type { Context, GlobalOptions, OperatorKey } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { type Column, writeTable } from '../table.ts'

type KeysOptions = GlobalOptions & { email?: string }

const columns: Column<OperatorKey>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'STATUS', value: ({ status }) => status },
  { title: 'BEGINS', value: ({ prefix }) => prefix },
  { title: 'LAST USED', value: ({ lastUsedAt }) => lastUsedAt ?? 'never' },
  { title: 'NAME', value: ({ name }) => name, shrinks: true },
]

const toRequest = ({ cwd, env }: Context, { email }: KeysOptions) => ({
  ...(email === undefined ? {} : { email }),
  cwd,
  env,
})

/** Lists the management keys on the service's own database. */
export const listManagementKeys = async (context: Context, options: KeysOptions): Promise<number> => {
  const { keys } = await (await context.loadOperator()).listManagementKeys(toRequest(context, options))
  await writeTable(context, options, { rows: keys, columns })
  return exitCodes.ok
}

/** Revokes a management key on the service's own database. */
export const revokeManagementKey = async (context: Context, id: string, options: KeysOptions): Promise<number> => {
  const { revokeManagementKey: revoke } = await context.loadOperator()
  const { key, place } = await revoke({ ...toRequest(context, options), id })
  if (options.json) await writeJson(context.stdout, key)
  else await writeLine(context.stderr, `Revoked ${key.id} "${key.name}" in ${place}.`)
  return exitCodes.ok
}

/** Replaces a management key on the service's own database. The new secret alone goes to standard output. */
export const rotateManagementKey = async (context: Context, id: string, options: KeysOptions): Promise<number> => {
  const { rotateManagementKey: rotate } = await context.loadOperator()
  const rotated = await rotate({ ...toRequest(context, options), id })
  if (options.json) await writeJson(context.stdout, rotated)
  else {
    const { key, previous, secret } = rotated
    await writeLine(context.stderr, `${key.id} "${key.name}" replaces ${previous.id}, which is revoked.`)
    await writeLine(context.stdout, secret)
  }
  return exitCodes.ok
}

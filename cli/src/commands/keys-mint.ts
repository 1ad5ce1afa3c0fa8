import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'

export type KeysMintOptions = GlobalOptions & { email?: string; password?: string; name: string; create?: boolean }

/**
 * Mints a management key on the service's own database. The secret alone goes to standard output, so that a shell can
 * keep it: `export NOEMA_API_KEY=$(noema keys mint)`.
 */
export const keysMint = async (context: Context, options: KeysMintOptions): Promise<number> => {
  const { email, password, name, create, json } = options
  const { cwd, env, stdout, stderr } = context
  const operator = await context.loadOperator()
  const minted = await operator.mintManagementKey({
    ...(email === undefined ? {} : { email }),
    ...(password === undefined ? {} : { password }),
    ...(create === undefined ? {} : { create }),
    name,
    cwd,
    env,
  })
  const { key, account, secret, place } = minted
  if (json) {
    await writeJson(stdout, minted)
    return exitCodes.ok
  }
  await writeLine(stderr, `Minted management key "${key.name}" (${key.id}) for ${account.email} in ${place}.`)
  if (account.created && account.password !== undefined) {
    await writeLine(stderr, `The account is new; its password, shown once: ${account.password}`)
  }
  await writeLine(stdout, secret)
  return exitCodes.ok
}

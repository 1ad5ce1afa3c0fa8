import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'

/** Resets the sign-in of a person who lost their phone, their passkeys or their identity at the provider. */
export const accountsResetSignIn = async (
  context: Context,
  { email, json }: GlobalOptions & { email: string },
): Promise<number> => {
  const { cwd, env, stdout } = context
  const { resetSignIn } = await context.loadOperator()
  const reset = await resetSignIn({ email, cwd, env })
  if (json) {
    await writeJson(stdout, reset)
    return exitCodes.ok
  }
  const taken = [
    ...(reset.twoFactor ? ['two-factor codes'] : []),
    ...(reset.passkeys > 0 ? [`${reset.passkeys} passkey${reset.passkeys === 1 ? '' : 's'}`] : []),
    ...(reset.identities > 0 ? ['its identity at the provider'] : []),
    `${reset.sessions} session${reset.sessions === 1 ? '' : 's'}`,
  ]
  await writeLine(stdout, `Took from ${reset.email} in ${reset.place}: ${taken.join(', ')}. The password stays.`)
  return exitCodes.ok
}

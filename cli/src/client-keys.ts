import type { Capability } from '@noema/contracts/access.ts'
import { connectClient, requireConnection } from './connection.ts'
import type { Context, GlobalOptions } from './context.ts'

/** A key in another program's hands. Without an id, it is the caller's own. */
export type ClientKey = { secret: string; id?: string }

/** Mints a key of a Brain for another program. A caller who has no more than a key of the Brain shares that one. */
export const mintClientKey = async (
  context: Context,
  options: GlobalOptions,
  { brain, ...body }: { brain: string; name: string; capabilities: Capability[] },
): Promise<ClientKey> => {
  const { apiKey } = requireConnection(context, options)
  if (apiKey.startsWith('nbk_')) return { secret: apiKey }
  const { keys } = connectClient(context, options).brain(brain)
  const { key, secret } = await keys.mint(body, { signal: context.signal })
  if (secret === null) throw new Error('a key without an idempotency key is always new')
  return { secret, id: key.id }
}

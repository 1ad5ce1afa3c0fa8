import type { Outbound, Outcome } from './outbound.ts'
import type { Signer } from './signing.ts'

/** The outcome of a delivery: any 2xx acknowledges it. */
export type Sent = Outcome & { delivered: boolean }

/** Posts a signed body, once. */
export const sendSigned = async (
  outbound: Outbound,
  { url, organization, sign, at }: { url: string; organization: string; sign: Signer; at: Date },
  { id, body }: { id: string; body: string },
): Promise<Sent> => {
  const outcome = await outbound.post({ url, organization, headers: sign({ id, at, body }), body })
  const { status } = outcome
  return { ...outcome, delivered: status !== null && status >= 200 && status < 300 }
}

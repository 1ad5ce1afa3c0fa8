import type { Outbound, Outcome } from '../../shared/outbound/outbound.ts'
import type { Signer } from '../../shared/outbound/signing.ts'

export type Sent = Outcome & { delivered: boolean }

/** Sends one signed delivery; any 2xx acknowledges it. `event` is JSON text, which travels as it is. */
export const sendDelivery = async (
  outbound: Outbound,
  { url, sign, at }: { url: string; sign: Signer; at: Date },
  {
    webhook,
    previousCursor,
    cursor,
    event,
  }: { webhook: string; previousCursor: string | null; cursor: string; event: string },
): Promise<Sent> => {
  const body = `{"webhook":"${webhook}","previousCursor":${JSON.stringify(previousCursor)},"event":${event}}`
  const outcome = await outbound.post({ url, headers: sign({ id: cursor, at, body }), body })
  const { status } = outcome
  return { ...outcome, delivered: status !== null && status >= 200 && status < 300 }
}

/** Why a delivery failed, in a sentence. */
export const failureOf = ({ status, error }: Outcome): string => error ?? `The receiver answered ${status}.`

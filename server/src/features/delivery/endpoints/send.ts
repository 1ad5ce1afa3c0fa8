import type { Outbound, Outcome } from '../../../shared/outbound/outbound.ts'
import { type Sent, sendSigned } from '../../../shared/outbound/send-signed.ts'
import type { Signer } from '../../../shared/outbound/signing.ts'

export type { Sent }

/** Sends one signed delivery; any 2xx acknowledges it. `event` is JSON text, which travels as it is. */
export const sendDelivery = (
  outbound: Outbound,
  to: { url: string; sign: Signer; at: Date },
  {
    webhook,
    previousCursor,
    cursor,
    event,
  }: { webhook: string; previousCursor: string | null; cursor: string; event: string },
): Promise<Sent> => {
  const body = `{"webhook":"${webhook}","previousCursor":${JSON.stringify(previousCursor)},"event":${event}}`
  return sendSigned(outbound, to, { id: cursor, body })
}

/** Why a delivery failed, in a sentence. */
export const failureOf = ({ status, error }: Outcome): string => error ?? `The receiver answered ${status}.`

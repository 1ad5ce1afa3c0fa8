import { orAbort } from '../timeout.ts'
import { type Resolve, resolveHost } from './resolve.ts'
import { checkAddresses, parseTarget, type Rules, type Target } from './targets.ts'

/** A URL that may be called, and the addresses that were checked. */
export type Vetted = { target: Target; addresses: readonly string[] }

/** Checks a URL and all that its name resolves to; rejects with a Refusal, or with the error of DNS. */
export type Vet = (url: string, signal: AbortSignal) => Promise<Vetted>

export const createVet =
  ({ resolve = resolveHost, ...rules }: Rules & { resolve?: Resolve | undefined }): Vet =>
  async (url, signal) => {
    const target = parseTarget(url, rules)
    const addresses = target.isLiteral ? [target.host] : await orAbort(resolve(target.host, target.isAllowed), signal)
    checkAddresses(target, addresses, rules)
    return { target, addresses }
  }

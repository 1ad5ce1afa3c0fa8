import { type Resolve, resolveHost } from './resolve.ts'
import { checkAddresses, parseTarget, type Rules, type Target } from './targets.ts'

const beforeAbort = <Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(new Error('No answer in time.'))
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })

/** A URL that may be called, and the addresses that were checked. */
export type Vetted = { target: Target; addresses: readonly string[] }

/** Checks a URL and all that its name resolves to; rejects with a Refusal, or with the error of DNS. */
export type Vet = (url: string, signal: AbortSignal) => Promise<Vetted>

export const createVet =
  ({ resolve = resolveHost, ...rules }: Rules & { resolve?: Resolve | undefined }): Vet =>
  async (url, signal) => {
    const target = parseTarget(url, rules)
    const addresses = target.isLiteral
      ? [target.host]
      : await beforeAbort(resolve(target.host, target.isAllowed), signal)
    checkAddresses(target, addresses, rules)
    return { target, addresses }
  }

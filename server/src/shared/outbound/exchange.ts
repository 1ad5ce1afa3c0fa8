import type { Dispatcher } from 'undici'

/** The outcome of a call: the status if an answer began, its first bytes as text, and the error in a few words. */
export type Exchange = { status: number | null; answer: string; error: string | null }

/** Bytes of an answer that are kept, and bytes that are read before the connection is cut. */
const keptBytes = 1024
const maxBytes = 64 * 1024
export const maxInterimAnswers = 8

const reasons: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before the response was complete.',
  EPIPE: 'The connection was closed before the response was complete.',
  UND_ERR_SOCKET: 'The connection was closed before the response was complete.',
  UND_ERR_CONNECT_TIMEOUT: 'The connection could not be established in time.',
  ETIMEDOUT: 'The connection could not be established in time.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The host cannot be reached.',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the response are too long.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The TLS certificate is not for this host.',
  CERT_HAS_EXPIRED: 'The TLS certificate has expired.',
}

const findCode = (error: Error): string => {
  const inner = error instanceof AggregateError ? error.errors[0] : error
  return inner instanceof Error && 'code' in inner ? String(inner.code ?? '') : ''
}

/** A failure in one sentence, without addresses or anything else of this network. */
export const toReason = (error: Error): string => {
  const code = findCode(error)
  const known = reasons[code]
  if (known !== undefined) return known
  if (code.startsWith('HPE_') || error.name === 'HTTPParserError') return 'The response is not HTTP.'
  return /CERT|SSL|TLS|SIGNATURE/.test(code) ? `TLS failed: ${code}.` : `The call failed${code && `: ${code}`}.`
}

/** Checks whether the same call may succeed a little later: the far end was unreachable or broke off. */
export const isPassing = (error: Error): boolean => /^(E[A-Z]+|UND_ERR_(SOCKET|CONNECT_TIMEOUT))$/.test(findCode(error))

class Cut extends Error {}

// Control characters would garble a log, and the database takes no U+0000.
const printable = (bytes: Buffer): string => new TextDecoder().decode(bytes).replaceAll(/[^\P{C}\n\t]/gu, '�')

/**
 * Makes one call and reads its answer within bounds: of time by `signal`, of bytes, and of interim (1xx) answers. It never
 * rejects. A status counts once it has arrived, even if the body fails.
 */
export const exchange = (
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Promise<Exchange> =>
  new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined
    let status: number | null = null
    let interim = 0
    let read = 0
    const kept: Buffer[] = []
    const settle = (error: string | null) => {
      signal.removeEventListener('abort', tooLate)
      resolve({ status, answer: printable(Buffer.concat(kept).subarray(0, keptBytes)), error })
    }
    const cut = (reason: string) => {
      settle(reason)
      controller?.abort(new Cut(reason))
    }
    const tooLate = () => cut(String(signal.reason))
    signal.addEventListener('abort', tooLate, { once: true })
    dispatcher.dispatch(options, {
      onRequestStart: (given) => {
        controller = given
        if (signal.aborted) given.abort(new Cut())
      },
      onResponseStart: (_controller, code) => {
        if (code >= 200) status = code
        else if (++interim > maxInterimAnswers) cut('There were too many interim responses.')
      },
      onResponseData: (_controller, chunk) => {
        if (read < keptBytes) kept.push(chunk.subarray(0, keptBytes - read))
        read += chunk.length
        if (read > maxBytes) cut('The response is longer than 64 KiB.')
      },
      onResponseEnd: () => settle(null),
      onResponseError: (_controller, error) => settle(toReason(error)),
    })
  })

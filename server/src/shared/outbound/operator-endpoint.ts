// Calls to an address from the operator's settings. It may be on the same machine or in a private network, and often is.
// Only the operator can choose it, so it is not checked like the addresses of users. Redirects are not followed, because
// they would lead to addresses that the operator did not choose.

export type OperatorRequest = {
  url: string
  headers: Record<string, string>
  /** The body of a POST or a PUT: a text, bytes or a form; without one the call is a GET. */
  body?: string | Uint8Array<ArrayBuffer> | FormData
  method?: 'POST' | 'PUT'
  /** Aborts the call. */
  signal: AbortSignal
  /** The size limit of an answer; a longer one is refused. */
  maxBytes: number
}

export type OperatorAnswer = { status: number; retryAfter: string | null; body: string }

const readBody = async (response: Response, maxBytes: number): Promise<string> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > maxBytes) throw new Error(`the response is longer than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * Sends a GET, or posts JSON unless `headers` says otherwise, and reads the whole answer. Throws an Error that describes
 * the failure.
 */
export const askOperator = async (request: OperatorRequest): Promise<OperatorAnswer> => {
  const { url, headers, body, method = 'POST', signal, maxBytes } = request
  try {
    const response = await fetch(url, {
      redirect: 'error',
      headers: { ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}), ...headers },
      ...(body === undefined ? {} : { method, body }),
      signal,
    })
    const text = await readBody(response, maxBytes)
    return { status: response.status, retryAfter: response.headers.get('retry-after'), body: text }
  } catch (error) {
    // `fetch` gives the reason only in the cause.
    throw error instanceof Error && error.cause instanceof Error ? error.cause : error
  }
}

/** A `fetch` for clients that bring the protocol of an operator's server. A redirect is an answer. */
export const fetchOperator: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'manual' })

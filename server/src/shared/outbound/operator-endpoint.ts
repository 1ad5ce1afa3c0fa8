// Calls to an address that the operator's settings name. It may be on the same machine or in a private network, and often
// is: nobody but the operator can choose it, so it is not checked as addresses are that come from users. Redirects are
// not followed, as they would lead where the operator did not point.

export type OperatorRequest = {
  url: string
  headers: Record<string, string>
  /** What is posted; without one it is a GET. */
  body?: string
  /** Ends the call. */
  signal: AbortSignal
  /** Bytes of an answer that no honest one has; a longer one is refused. */
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

/** Asks, or posts JSON unless `headers` says otherwise, and reads the whole answer. Throws an Error that says what went wrong. */
export const askOperator = async (request: OperatorRequest): Promise<OperatorAnswer> => {
  const { url, headers, body, signal, maxBytes } = request
  try {
    const response = await fetch(url, {
      redirect: 'error',
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { method: 'POST', body }),
      signal,
    })
    const text = await readBody(response, maxBytes)
    return { status: response.status, retryAfter: response.headers.get('retry-after'), body: text }
  } catch (error) {
    // `fetch` tells what went wrong in the cause alone.
    throw error instanceof Error && error.cause instanceof Error ? error.cause : error
  }
}

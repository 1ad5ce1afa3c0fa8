import type { Dispatcher } from 'undici'
import { CallFailure } from './call-failure.ts'
import { isPassing, maxInterimAnswers, toReason } from './exchange.ts'

/** The maximum silence, the maximum duration of a call, and the maximum size of an answer. */
export type StreamLimits = { idleSeconds: number; totalSeconds: number; maxBytes: number }

/** Is called if a response breaks off after it began: a client that reads it as events may not notice. */
export type OnBroken = (reason: Error) => void

// Bytes that are read ahead of a slow reader.
const readAheadBytes = 64 * 1024
const withoutBody = [204, 205, 304]

const tooLate = (sentence: string, isRetryable: boolean) => new CallFailure(sentence, { isRetryable })

/** Calls back after a period of silence; paused while the reader is the slow side. */
const createIdleTimer = (seconds: number, isStopped: () => boolean, isOver: () => void) => {
  let timer: NodeJS.Timeout | undefined
  const stop = () => clearTimeout(timer)
  return {
    stop,
    restart: () => {
      stop()
      if (isStopped()) return
      timer = setTimeout(isOver, seconds * 1000)
    },
  }
}

type GivenHeaders = Record<string, string | string[] | undefined>

const toHeaders = (given: GivenHeaders): Headers => {
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(given))
    for (const value of [values].flat()) headers.append(name, value)
  const encoding = headers.get('content-encoding') ?? 'identity'
  if (encoding !== 'identity') throw new CallFailure(`The response is compressed (${encoding.slice(0, 20)}), unasked.`)
  return headers
}

type Call = {
  limits: StreamLimits
  signal: AbortSignal | undefined
  leave: () => void
  onBroken?: OnBroken | undefined
}

/** Ends a call once: stops its timers, releases its slots and closes its connection. */
const createEnd = ({ limits, signal, leave }: Call, broken: (error: Error) => void) => {
  const { idleSeconds, totalSeconds } = limits
  let isOver = false
  const end = () => {
    isOver = true
    idle.stop()
    clearTimeout(total)
    signal?.removeEventListener('abort', abort)
    leave()
  }
  const fail = (error: Error) => {
    if (isOver) return
    end()
    broken(error)
  }
  const abort = () => fail(signal?.reason instanceof Error ? signal.reason : new DOMException('Aborted', 'AbortError'))
  const idle = createIdleTimer(
    idleSeconds,
    () => isOver,
    () => fail(tooLate(`Nothing came of the response for ${idleSeconds} seconds.`, true)),
  )
  const total = setTimeout(
    () => fail(tooLate(`There was no complete response within ${totalSeconds} seconds.`, false)),
    totalSeconds * 1000,
  )
  signal?.addEventListener('abort', abort, { once: true })
  idle.restart()
  return { idle, fail, finish: () => !isOver && end() }
}

/** A body that is read as it comes, and no faster than its reader takes it. */
const createBody = (idle: { restart(): void; stop(): void }, connection: { resume(): void; cancel(): void }) => {
  let reader: ReadableStreamDefaultController<Uint8Array> | undefined
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        reader = controller
      },
      pull: () => {
        idle.restart()
        connection.resume()
      },
      cancel: connection.cancel,
    },
    { highWaterMark: readAheadBytes, size: (chunk) => chunk?.byteLength ?? 0 },
  )
  return {
    stream,
    /** Adds what came; false where the reader must take it first. */
    add: (chunk: Buffer): boolean => {
      reader?.enqueue(new Uint8Array(chunk))
      if ((reader?.desiredSize ?? 1) > 0) return true
      idle.stop()
      return false
    },
    close: () => reader?.close(),
    breakOff: (error: Error) => reader?.error(error),
  }
}

const toFailure = (error: unknown): CallFailure => {
  if (error instanceof CallFailure) return error
  return error instanceof Error
    ? new CallFailure(toReason(error), { isRetryable: isPassing(error) })
    : new CallFailure('The call failed.')
}

/**
 * Makes one call and returns its response as `fetch` does: once its headers have arrived, with a body. It is bounded in
 * silence, time and bytes; `leave` is called once, at its end. It rejects, or breaks the body off, with a CallFailure or
 * with the reason of `signal`.
 */
export const streamResponse = (
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  call: Call,
): Promise<Response> =>
  new Promise((resolve, reject) => {
    const { maxBytes } = call.limits
    let connection: Dispatcher.DispatchController | undefined
    let body: ReturnType<typeof createBody> | undefined
    let [read, interim] = [0, 0]
    const { idle, fail, finish } = createEnd(call, (error) => {
      if (body) {
        body.breakOff(error)
        call.onBroken?.(error)
      } else reject(error)
      connection?.abort(error)
    })
    const cancel = () => {
      finish()
      connection?.abort(new Error('The rest is not needed.'))
    }
    const begin = (status: number, given: GivenHeaders) => {
      const headers = toHeaders(given)
      if (status > 599) throw new CallFailure('The response is not HTTP.')
      body = createBody(idle, { resume: () => connection?.resume(), cancel })
      resolve(new Response(withoutBody.includes(status) ? null : body.stream, { status, headers }))
    }
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (controller) => {
        connection = controller
        if (call.signal?.aborted) controller.abort(new Error('It was aborted before it began.'))
      },
      onResponseStart: (_controller, status, headers) => {
        idle.restart()
        try {
          if (status >= 200) begin(status, headers)
          else if (++interim > maxInterimAnswers) fail(new CallFailure('There were too many interim responses.'))
        } catch (error) {
          fail(toFailure(error))
        }
      },
      onResponseData: (controller, chunk) => {
        idle.restart()
        read += chunk.length
        if (read > maxBytes) fail(new CallFailure(`The response is longer than ${maxBytes} bytes.`))
        else if (body?.add(chunk) === false) controller.pause()
      },
      onResponseEnd: () => {
        finish()
        body?.close()
      },
      onResponseError: (_controller, error) => fail(toFailure(error)),
    }
    try {
      dispatcher.dispatch(options, handler)
    } catch {
      fail(new CallFailure('The request cannot be sent as HTTP.'))
    }
  })

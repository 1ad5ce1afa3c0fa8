import { CallFailure } from '../../shared/outbound/call-failure.ts'
import type { Pace } from './pace.ts'

const [lineFeed, carriageReturn] = [10, 13]

// Parsing an event costs at least as much as this many bytes of a long one.
const bytesOfLine = 128

/** The number of lines in a chunk, and of bytes after the last one. */
const countLines = (chunk: Uint8Array): { lines: number; rest: number } => {
  let [lines, end] = [0, -1]
  for (let at = 0; at < chunk.length; at++)
    if (chunk[at] === lineFeed || chunk[at] === carriageReturn) {
      lines++
      end = at
    }
  return { lines, rest: chunk.length - end - 1 }
}

/**
 * A response whose events are bounded: each is a line, which stays in memory until it ends. Many at once are read at a pace that
 * leaves time for others.
 */
export const boundEvents = (
  response: Response,
  { maxLineBytes, pace }: { maxLineBytes: number; pace: Pace },
): Response => {
  if (!response.body) return response
  let line = 0
  const bounded = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: async (chunk, controller) => {
        const { lines, rest } = countLines(chunk)
        line = lines === 0 ? line + rest : rest
        if (line > maxLineBytes)
          return controller.error(new CallFailure(`A line of the response is longer than ${maxLineBytes} bytes.`))
        await pace.keep(Math.max(chunk.length, lines * bytesOfLine))
        controller.enqueue(chunk)
      },
    }),
  )
  const { status, headers } = response
  return new Response(bounded, { status, headers })
}

/** A response of which the beginning counts alone: what comes after it is not read. */
export const keepBeginning = (response: Response, maxBytes: number): Response => {
  if (!response.body) return response
  const reader = response.body.getReader()
  let bytes = 0
  const beginning = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await reader.read()
      const piece = value?.subarray(0, maxBytes - bytes)
      if (piece) controller.enqueue(piece)
      bytes += piece?.length ?? 0
      if (!done && bytes < maxBytes) return
      controller.close()
      await reader.cancel()
    },
    cancel: (reason) => reader.cancel(reason),
  })
  const { status, headers } = response
  return new Response(beginning, { status, headers })
}

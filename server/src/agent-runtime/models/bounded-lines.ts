import { CallFailure } from '../../shared/outbound/call-failure.ts'

const [lineFeed, carriageReturn] = [10, 13]

const findLineEnd = (chunk: Uint8Array): number =>
  Math.max(chunk.lastIndexOf(lineFeed), chunk.lastIndexOf(carriageReturn))

/** A response whose lines are bounded: an event is one line, and is held in memory until it ends. */
export const boundLines = (response: Response, maxBytes: number): Response => {
  if (!response.body) return response
  let bytes = 0
  const bounded = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        const end = findLineEnd(chunk)
        bytes = end === -1 ? bytes + chunk.length : chunk.length - end - 1
        if (bytes > maxBytes)
          controller.error(new CallFailure(`A line of the response is longer than ${maxBytes} bytes.`))
        else controller.enqueue(chunk)
      },
    }),
  )
  const { status, headers } = response
  return new Response(bounded, { status, headers })
}

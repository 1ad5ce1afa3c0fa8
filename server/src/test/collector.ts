import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** A span as a collector gets it by OTLP, its attributes as an object. */
export type CollectedSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  status: { code: number; message?: string }
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Record<string, string | number | boolean>
  links?: { traceId: string; spanId: string }[]
  events?: { name: string; attributes: Record<string, string | number | boolean> }[]
}

type Value = { stringValue?: string; intValue?: number; doubleValue?: number; boolValue?: boolean }
type Attribute = { key: string; value: Value }
type Sent = Omit<CollectedSpan, 'attributes' | 'events'> & {
  attributes: Attribute[]
  events?: { name: string; attributes: Attribute[] }[]
}
type Request = {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Sent[] }[] }[]
}

const toObject = (attributes: readonly Attribute[]): CollectedSpan['attributes'] =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] ?? '']))

/** An OpenTelemetry collector on loopback. `settled` resolves once it has the requested spans. */
export const openCollector = async () => {
  const spans: CollectedSpan[] = []
  const resources: CollectedSpan['attributes'][] = []
  let hear: () => void = () => undefined
  const server = createServer(async (request, response) => {
    const { resourceSpans } = (await json(request)) as Request
    for (const { resource, scopeSpans } of resourceSpans) {
      resources.push(toObject(resource.attributes))
      for (const span of scopeSpans.flatMap((scope) => scope.spans))
        spans.push({
          ...span,
          attributes: toObject(span.attributes),
          events: (span.events ?? []).map((event) => ({ name: event.name, attributes: toObject(event.attributes) })),
        })
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    hear()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    resources,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
    settled: async (isThere: (spans: readonly CollectedSpan[]) => boolean) => {
      while (!isThere(spans)) await new Promise<void>((resolve) => (hear = resolve))
      return spans
    },
  }
}

/** The same, closed when the test ends. */
export const startCollector = async () => {
  const collector = await openCollector()
  onTestFinished(collector.close)
  return collector
}

export type Collector = Awaited<ReturnType<typeof openCollector>>

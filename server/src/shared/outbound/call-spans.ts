import type { Span, SpanAbout } from '../tracing/spans.ts'

// Spans of outgoing calls, by the conventions for HTTP clients. They contain only the host and port of a URL: paths and
// queries of webhooks and providers contain secrets.

const defaultPorts: Record<string, number> = { 'http:': 80, 'https:': 443 }

const toServer = (text: string): Record<string, string | number> => {
  if (!URL.canParse(text)) return {}
  const { hostname, port, protocol } = new URL(text)
  return { 'server.address': hostname, 'server.port': port === '' ? (defaultPorts[protocol] ?? 0) : Number(port) }
}

/** The span of a call. */
export const aboutCall = (url: string, method: string): SpanAbout => ({
  ...{ name: method, kind: 'client' },
  attributes: { 'http.request.method': method, ...toServer(url) },
})

/** Ends the span of a call with its outcome. */
export const endCall = (span: Span, { status, outcome }: { status: number | null; outcome: string }): void => {
  if (status !== null) span.set({ 'http.response.status_code': status })
  if (status === null) span.end(outcome)
  else span.end(status >= 400 ? String(status) : undefined)
}

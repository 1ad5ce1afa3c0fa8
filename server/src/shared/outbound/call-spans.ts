import type { Span, SpanAbout } from '../tracing/spans.ts'

// Spans of calls to others, by the conventions for HTTP clients. Of a URL only the host and port are told: paths and queries of
// webhooks and providers hold their secrets.

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

/** Ends the span of a call with what came of it. */
export const endCall = (span: Span, { status, outcome }: { status: number | null; outcome: string }): void => {
  if (status !== null) span.set({ 'http.response.status_code': status })
  if (status === null) span.end(outcome)
  else span.end(status >= 400 ? String(status) : undefined)
}

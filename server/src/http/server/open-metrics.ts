// OpenMetrics is the form of metrics in which a value may name the trace that it is of. Prometheus asks for it; people and other
// programs get plain text.

export const openMetricsType = 'application/openmetrics-text'

/** True if an Accept header names OpenMetrics. */
export const wantsOpenMetrics = (accept: string | undefined): boolean =>
  (accept ?? '')
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim().toLowerCase()))
    .some(([type, ...parameters]) => type === openMetricsType && !parameters.some((one) => /^q=0(\.0*)?$/.test(one)))

/** The same without what OpenMetrics alone has: traces, the names of counters without their ending, and the mark of the end. */
export const toPlainText = (text: string): string => {
  const counters = new Set([...text.matchAll(/^# TYPE (\w+) counter$/gm)].map(([, name = '']) => name))
  return text
    .replaceAll(/^# (?:HELP|TYPE) (\w+)/gm, (start, name: string) => (counters.has(name) ? `${start}_total` : start))
    .replaceAll(/^(\w+_bucket\{.*\} \S+) # \{trace_id="\w+"\} \S+ \S+$/gm, '$1')
    .replace(/# EOF\n$/, '')
}

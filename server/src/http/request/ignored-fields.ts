import type { Ignored } from '../../api/parse.ts'
import type { Path } from '../../shared/errors.ts'

// The header Ignored-Fields names the fields of a body that its endpoint does not declare and dropped (D-04b).

// A hostile body may have a million names; the header must stay short enough for every proxy.
const maxPaths = 20
const maxNameLength = 64
const maxLength = 1_000

/** A path as an item of a header: commas, percent signs and everything but visible ASCII are percent-encoded. */
const encodePath = (path: Path): string =>
  path
    .map((step) => String(step).slice(0, maxNameLength).toWellFormed())
    .join('.')
    .replace(/[^\x21-\x7e]|[,%]/gu, encodeURIComponent)

/** The value of Ignored-Fields. Its last item says how many more there are. Undefined if there are none. */
export const toIgnoredFields = ({ paths, count }: Ignored): string | undefined => {
  if (count === 0) return undefined
  const listed: string[] = []
  let length = 0
  for (const path of paths.slice(0, maxPaths)) {
    const text = encodePath(path)
    length += text.length + 2
    if (length > maxLength) break
    listed.push(text)
  }
  const rest = count - listed.length
  return [...listed, ...(rest > 0 ? [`+${rest}`] : [])].join(', ')
}

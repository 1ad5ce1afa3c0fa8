import { maxWaitSeconds } from '@noema/contracts/runs.ts'
import type { Ignored } from '../../api/parse.ts'
import type { Path } from '../../shared/errors.ts'

// What becomes of body fields that an endpoint does not take (D-04b): they are named in Ignored-Fields, or refused for a
// request that says `Prefer: handling=strict` (RFC 7240); and how long a request would wait, by `Prefer: wait`.

const listPreferences = (prefer: string | string[] | undefined): string[] =>
  [prefer ?? []].flat().flatMap((line) => line.split(','))

/** Whether a request wants what it misspells refused. */
export const wantsStrict = (prefer: string | string[] | undefined): boolean =>
  listPreferences(prefer).some((preference) => /^\s*handling\s*=\s*"?strict"?\s*(;|$)/i.test(preference))

/** How many seconds a request would wait for the end of what it begins: by `Prefer: wait`, or `wait=<seconds>`. */
export const readWaitSeconds = (prefer: string | string[] | undefined): number | undefined => {
  const [found] = listPreferences(prefer).flatMap(
    (preference) => /^\s*wait\s*(?:=\s*"?(\d{1,9})"?\s*)?(?:;|$)/i.exec(preference) ?? [],
  )
  if (found === undefined) return undefined
  const seconds = /\d+/.exec(found)?.[0]
  return Math.min(seconds === undefined ? maxWaitSeconds : Number(seconds), maxWaitSeconds)
}

// A hostile body may have a million names; a header stays one that every proxy passes on.
const maxPaths = 20
const maxNameLength = 64
const maxLength = 1_000

/** A path as a list of a header can hold it: what is not visible ASCII, commas and percent signs are percent-encoded. */
const encodePath = (path: Path): string =>
  path
    .map((step) => String(step).slice(0, maxNameLength).toWellFormed())
    .join('.')
    .replace(/[^\x21-\x7e]|[,%]/gu, encodeURIComponent)

/** The value of Ignored-Fields, ended by how many more there are; undefined where there are none. */
export const ignoredFields = ({ paths, count }: Ignored): string | undefined => {
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

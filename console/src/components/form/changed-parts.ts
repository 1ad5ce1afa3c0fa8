import { isObject } from '@noema/contracts/json.ts'

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/**
 * The parts of a body that differ from the opened one, so that a form keeps what others change in the meantime. `merged` names the
 * objects that the service merges: only their changed properties are sent.
 */
export const findChangedParts = <Body>(
  opened: Body | undefined,
  body: Body,
  merged: readonly string[] = [],
): Partial<Body> => {
  if (!isObject(opened) || !isObject(body)) return body
  const changed = Object.entries(body).flatMap(([name, value]): [string, unknown][] => {
    const before = opened[name]
    if (isSame(before, value)) return []
    return [[name, merged.includes(name) ? findChangedParts(before, value) : value]]
  })
  return Object.fromEntries(changed) as Partial<Body>
}

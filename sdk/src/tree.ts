import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { type CallInput, callEndpoint } from './call.ts'
import { followEndpoint } from './follow.ts'
import { streamEndpoint } from './lines.ts'
import type { Settings } from './transport.ts'
import type { Methods } from './types.ts'

// The methods are made by walking the tree of contracts, and their types by mapping over the same tree: TypeScript
// cannot see that the two agree. So this file, and no other of the client, asserts types.

type Tree = { readonly [name: string]: Endpoint | Tree }

const isEndpoint = (node: Endpoint | Tree): node is Endpoint => typeof node.path === 'string'

/** Splits a method's arguments as `Methods` types them: path parameters, then the input where there is one, then options. */
const splitArguments = (
  endpoint: Endpoint,
  bound: Readonly<Record<string, string>>,
  args: readonly unknown[],
): CallInput => {
  const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
  const unbound = names.filter((name) => !Object.hasOwn(bound, name))
  const rest = args.slice(unbound.length)
  const takesLines = endpoint.ndjson === 'body'
  const takesFile = endpoint.file === 'body'
  const hasInput = takesLines || endpoint.body !== undefined || endpoint.query !== undefined
  const [first, second] = takesFile ? [rest[1], rest[2]] : rest
  const given = unbound.map((name, place) => [name, args[place]])
  return {
    params: { ...bound, ...(Object.fromEntries(given) as Record<string, string>) },
    input: (hasInput && !takesLines ? first : undefined) as CallInput['input'],
    lines: (takesLines ? first : undefined) as CallInput['lines'],
    file: (takesFile ? rest[0] : undefined) as CallInput['file'],
    options: ((hasInput ? second : first) ?? {}) as CallInput['options'],
  }
}

/** A stream takes one object: its query and the options together. */
const splitStream = (endpoint: Endpoint, bound: Readonly<Record<string, string>>, args: readonly unknown[]) => {
  const { params, input } = splitArguments(endpoint, bound, args)
  const { signal, timeoutMs, maxRetries, ...query } = (input ?? {}) as Record<string, unknown> & CallInput['options']
  return { params, input: query, options: { signal, timeoutMs, maxRetries } }
}

/** The methods of one endpoint: the one with its name, and additional ones. */
const makeMethod = (
  settings: Settings,
  node: Endpoint,
  { name, bound }: { name: string; bound: Readonly<Record<string, string>> },
): Record<string, unknown> => {
  const follow = (...args: unknown[]) => followEndpoint(settings, node, splitStream(node, bound, args))
  if (node.sse) return { [name]: follow }
  const call = node.ndjson === 'answer' || node.file === 'answer' ? streamEndpoint : callEndpoint
  const method = (...args: unknown[]) => call(settings, node, splitArguments(node, bound, args))
  return { [name]: method, ...(node.tail ? { follow } : {}) }
}

/**
 * Makes the methods of a tree of endpoints. `bound` gives path parameters that the methods no longer take.
 * Their types are those of `Methods<T, keyof bound>`.
 */
export const makeMethods = <T extends Tree, Bound extends string = never>(
  settings: Settings,
  tree: T,
  bound: Readonly<Record<Bound, string>>,
): Methods<T, Bound> => {
  const methods: Record<string, unknown> = {}
  for (const [name, node] of Object.entries<Endpoint | Tree>(tree)) {
    Object.assign(
      methods,
      isEndpoint(node) ? makeMethod(settings, node, { name, bound }) : { [name]: makeMethods(settings, node, bound) },
    )
  }
  return methods as Methods<T, Bound>
}

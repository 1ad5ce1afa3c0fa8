type Ask<Value> = (key: string) => Promise<Value | undefined>

/** Keys are gathered for this long: the rows of a page ask within one drawing of it. */
const gatherMilliseconds = 5

/** Asks for keys one by one and reads them together, at most so many in a call. A key that the call does not find is undefined. */
export const createGatherer = <Value>(
  read: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
  maxKeys: number,
): Ask<Value> => {
  let waiting = new Map<string, PromiseWithResolvers<Value | undefined>>()
  const answer = async (asked: ReadonlyMap<string, PromiseWithResolvers<Value | undefined>>) => {
    try {
      const found = await read([...asked.keys()])
      for (const [key, { resolve }] of asked) resolve(found.get(key))
    } catch (error) {
      for (const { reject } of asked.values()) reject(error)
    }
  }
  const send = () => {
    const all = [...waiting]
    waiting = new Map()
    for (let first = 0; first < all.length; first += maxKeys) void answer(new Map(all.slice(first, first + maxKeys)))
  }
  return (key) => {
    const asked = waiting.get(key) ?? Promise.withResolvers<Value | undefined>()
    if (waiting.size === 0) setTimeout(send, gatherMilliseconds)
    waiting.set(key, asked)
    return asked.promise
  }
}

/** A gatherer for each client and Brain, made when it is first needed. */
export const createGatherers = <Client extends object, Value>(make: (client: Client, handle: string) => Ask<Value>) => {
  const made = new WeakMap<Client, Map<string, Ask<Value>>>()
  return (client: Client, handle: string): Ask<Value> => {
    const ofClient = made.get(client) ?? new Map<string, Ask<Value>>()
    made.set(client, ofClient)
    const ask = ofClient.get(handle) ?? make(client, handle)
    ofClient.set(handle, ask)
    return ask
  }
}

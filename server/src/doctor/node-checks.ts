import { findNodeAddresses } from '../features/oversight/service-health/service-health.ts'
import { nodeTls } from '../http/forwarding/node-tls.ts'
import { tryPeer } from '../http/forwarding/peer.ts'
import { parseHostPort } from '../shared/network/host-port.ts'
import type { Db } from '../storage/database.ts'
import { type Finding, isOk, toReason, warns } from './finding.ts'
import { hasNodeAddresses, readServerTime } from './queries.ts'

const check = 'Nodes'

const checkOne = async (address: string, tls: ReturnType<typeof nodeTls>): Promise<Finding[]> => {
  const failure = await tryPeer(parseHostPort(address), tls)
  if (!failure) return []
  if (failure.isHeard)
    return [
      warns(
        check,
        `${address} answers, and is not a node with the same NOEMA_SECRET.`,
        'Set the same NOEMA_SECRET here and on every node, and check that the NOEMA_NODE_ADDRESS of that node leads to it from here.',
      ),
    ]
  return [
    warns(
      check,
      `${address} cannot be reached from here: ${toReason(failure.error)}`,
      'Open that port between the nodes, or correct the NOEMA_NODE_ADDRESS of that node. The others write directly meanwhile.',
    ),
  ]
}

/** Checks that every node that takes writes of others can be reached from here; nothing if none does. */
export const checkNodes = async (db: Db, secret: string): Promise<Finding[]> => {
  if (!(await hasNodeAddresses(db))) return []
  // Nodes report by the clock of their database.
  const now = new Date(await readServerTime(db))
  const addresses = await findNodeAddresses({ db, clock: { now: () => now } })
  if (addresses.length === 0) return []
  const tls = nodeTls(secret)
  const unreached = (await Promise.all(addresses.map((address) => checkOne(address, tls)))).flat()
  return unreached.length > 0 ? unreached : [isOk(check, `All can be reached from here: ${addresses.join(', ')}.`)]
}

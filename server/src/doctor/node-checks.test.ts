import { expect, test } from 'vitest'
import { testSecret } from '../test/app.ts'
import { findFreePort } from '../test/free-port.ts'
import { useOwnApp } from '../test/harness.ts'
import { examine } from './doctor.ts'

// A node that takes writes of others, and reports of nodes that have no process.

const app = useOwnApp({ NOEMA_NODE_ADDRESS: '127.0.0.1:0' })

const checkNodes = async (secret = testSecret) => {
  const settings = { NOEMA_PORT: '0', NOEMA_EMBEDDINGS: 'off', NOEMA_SECRET: secret }
  const env = { ...settings, NOEMA_DATABASE_URL: app.database.url }
  const findings = await examine({ env, cwd: '/', isService: async () => false })
  return findings.filter(({ check }) => check === 'Nodes')
}

const listAddresses = async (): Promise<string[]> => {
  const { rows } = await app.database.pool.query('select address from nodes where address is not null')
  return rows.map(({ address }) => address)
}

/** Reports a node at an address, seconds ago. */
const report = async (address: string, seconds: number) => {
  await app.database.pool.query(
    `insert into nodes (id, version, roles, address, started_at, seen_at, workers)
     select gen_random_uuid(), version, roles, $1, started_at, now() - $2 * interval '1 second', workers from nodes limit 1`,
    [address, seconds],
  )
}

test('SCL-05 the doctor names each node that it does not reach at the address for other nodes, and each with another secret', async () => {
  await expect.poll(async () => (await listAddresses()).length).toBe(1)
  const [own] = await listAddresses()
  await report(`127.0.0.1:${await findFreePort()}`, 60)
  expect(await checkNodes()).toEqual([
    { check: 'Nodes', status: 'ok', message: `All can be reached from here: ${own}.` },
  ])
  const closed = `127.0.0.1:${await findFreePort()}`
  await report(closed, -3600)
  const unreached = {
    ...{ check: 'Nodes', status: 'warning', fix: expect.stringContaining('Open that port between the nodes') },
    message: expect.stringContaining(`${closed} cannot be reached from here: connect ECONNREFUSED`),
  }
  expect(await checkNodes()).toEqual([unreached])
  const strange = {
    ...{ check: 'Nodes', status: 'warning', fix: expect.stringContaining('Set the same NOEMA_SECRET') },
    message: `${own} answers, and is not a node with the same NOEMA_SECRET.`,
  }
  const found = await checkNodes('another secret of another service')
  expect(found).toHaveLength(2)
  expect(found).toEqual(expect.arrayContaining([unreached, strange]))
})

test('SCL-05 the doctor says nothing of nodes that report no address, and of a database that does not know of addresses', async () => {
  await app.database.pool.query('update nodes set address = null')
  expect(await checkNodes()).toEqual([])
  await app.database.pool.query('alter table nodes drop column address')
  expect(await checkNodes()).toEqual([])
  await app.database.pool.query('alter table nodes add column address text')
})

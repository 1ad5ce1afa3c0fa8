import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { testSecret } from '../../../test/app.ts'
import { useOrganization } from './use-organization.fixture.ts'

// The app answers requests only; nodes in processes of their own deliver, and are killed while they do.

const { scene, create, correct } = useOrganization({ NOEMA_ROLES: 'http' })
const correctionsEach = 8
const kills = 3
const turnMilliseconds = 250
// Each node's clock is moved on, so that the leases of those that were killed end.
const secondsATurn = 10

const startNode = async (): Promise<ChildProcess> => {
  const program = new URL('../../../test/faults/delivering-node.ts', import.meta.url)
  const workers = ['make deliveries to organizations', 'deliver to webhooks of organizations']
  const settings = [scene.app.database.url, testSecret, ...workers]
  const node = fork(program, settings, { execArgv: [] })
  onTestFinished(() => void node.kill('SIGKILL'))
  await once(node, 'message')
  return node
}

const unsettled = async (): Promise<number> => {
  const { rows } = await scene.app.database.pool.query(`select
    (select count(*) from outbox) + (select count(*) from organization_deliveries where state = 'pending') as left`)
  return Number(rows[0].left)
}

test('OWH-05 nodes that are killed while they deliver lose nothing', async () => {
  await create()
  const changes = new Set<string>()
  for (let killed = 0; killed < kills; killed++) {
    // Every second answer never comes, so the node is killed while it waits.
    scene.receiver.answers((response) => {
      if (scene.receiver.deliveries.length % 2 === 0) response.writeHead(204).end()
    })
    for (let n = 0; n < correctionsEach; n++) changes.add((await correct()).change)
    const node = await startNode()
    const before = scene.receiver.deliveries.length
    while (scene.receiver.deliveries.length === before) {
      node.send(secondsATurn)
      await delay(turnMilliseconds)
    }
    node.kill('SIGKILL')
    await once(node, 'close')
  }
  scene.receiver.answers(204)
  const survivor = await startNode()
  while ((await unsettled()) > 0) {
    survivor.send(secondsATurn)
    await delay(turnMilliseconds)
  }
  const reported = new Set(scene.receiver.deliveries.map(({ body }) => body.data.change))
  expect(reported).toEqual(changes)
})

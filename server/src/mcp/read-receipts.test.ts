import { expect, test } from 'vitest'
import { useApp, useBrain } from '../test/harness.ts'
import { connectClient } from './mcp-client.fixture.ts'

const app = useApp()
const brain = useBrain(app)

test('D-53 a read by id or of a list leaves a receipt where it comes by MCP, and none over HTTP', async () => {
  await brain.call('PUT', '/records/ada', { kind: 'person' })
  const { get, close } = await connectClient(app, { key: brain.key })
  const { receipt } = await get('knowledge_read', { id: 'ada' })
  const { receipt: ofList } = await get('knowledge_read', { action: 'list_records' })
  await brain.call('GET', '/records/ada')
  const { receipts } = (await brain.call('GET', '/receipts')).body.data
  expect(receipts).toMatchObject([
    { id: receipt, operation: 'read', consumerId: null, served: { records: [{ id: 'ada', version: 1 }] } },
    { id: ofList, operation: 'read' },
  ])
  await close()
})

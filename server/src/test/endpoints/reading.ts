import { leaveFor } from '../../features/retrieval/receipts/receipt.fixture.ts'
import { asIs, at, type EndpointRows, inStream, type Parts, plain } from './row.ts'

// Events, search, receipts, exports, and the servers of the Model Context Protocol.

const rpcHeaders = { accept: 'application/json, text/event-stream' }
const message = (method: string, params?: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  ...(params === undefined ? {} : { params }),
})
const sampleMessage = (): Parts => ({ headers: rpcHeaders, body: message('tools/list') })
const toolCall = (name: string, args: object): Parts => ({
  headers: rpcHeaders,
  body: message('tools/call', { name, arguments: args }),
})
const aimedMessage = () => [{ body: message('tools/list') }]

export const readingRows = {
  'brain.events.list': { needs: ['read'], call: plain, aimed: asIs, example: { query: '?limit=2' } },
  'brain.search': {
    needs: ['read'],
    call: () => ({ query: '?q=sample' }),
    aimed: () => [{ query: { q: 'planted' } }],
    example: { query: '?q=interstellar+space&limit=1' },
  },
  'brain.context': {
    needs: ['read'],
    call: () => ({ body: { query: 'sample' } }),
    aimed: () => [{ body: { query: 'planted' } }],
    example: {
      body: { query: 'When did Voyager 1 reach interstellar space?', consumerId: 'assistant', budget: { tokens: 400 } },
    },
  },
  'brain.query': {
    needs: ['read'],
    call: () => ({ body: { kind: 'sample' } }),
    aimed: () => [
      { body: { kind: 'person', links: { depth: 1 } } },
      { body: { kind: 'declared', where: { choice: 'x' } } },
    ],
    example: { body: { kind: 'spacecraft', where: { slug: 'voyager-1' }, select: ['name', 'launched'] } },
  },
  'brain.names': {
    needs: ['read'],
    call: () => ({ body: { items: [{ type: 'record', id: 'sample' }] } }),
    aimed: () => [
      { body: { items: ['record', 'statement', 'document'].map((type) => ({ type, id: 'planted' })) } },
      { body: { items: [{ type: 'statement', id: 'over' }] } },
    ],
    example: { body: { items: [{ type: 'record', id: 'voyager-1' }] } },
  },
  'brain.receipts.get': {
    needs: ['read'],
    call: async (test, brain) => ({ params: { id: await leaveFor(test, brain) } }),
    aimed: at('receipt'),
  },
  'brain.receipts.list': { needs: ['read'], call: plain, aimed: asIs },
  'brain.export': { needs: 'management', call: plain, aimed: asIs },
  'brain.bundle.export': { needs: 'management', call: plain, aimed: asIs },
  'brain.bundle.import': {
    needs: ['read', 'write'],
    call: () => ({ body: { files: [{ path: 'notes/orbit.md', text: '---\ntype: Note\n---\nIt orbits.\n' }] } }),
    aimed: () => [{ body: { files: [{ path: 'notes/planted.md', text: '---\ntype: Note\n---\n' }], plan: true } }],
    example: {
      body: {
        files: [{ path: 'mission/voyager-2.md', text: '---\ntype: mission\nname: Voyager 2\n---\n' }],
        plan: true,
      },
    },
    unaudited: inStream,
  },
  'brain.mcp': {
    needs: [],
    call: sampleMessage,
    aimed: aimedMessage,
    example: toolCall('knowledge_search', { query: 'interstellar space', limit: 1 }),
  },
  mcp: {
    needs: 'management',
    call: sampleMessage,
    aimed: aimedMessage,
    example: toolCall('runs_read', { action: 'list', limit: 1 }),
  },
} satisfies EndpointRows

// Brains for the tests of the packages for frameworks.
import { createClient } from '@noema/sdk'

/** A client with the management key of the environment. */
export const client = createClient({ maxRetries: 0 })

/** A Brain in which Ada leads Apollo. */
export const openBrain = async (handle, mode = 'direct') => {
  await client.brains.put(handle, { mode })
  const brain = client.brain(handle)
  if (mode === 'direct') {
    await brain.records.put('ada', { kind: 'person', slug: 'ada', fields: { name: 'Ada', leads: 'Apollo' } })
    await brain.documents.put('notes', {
      title: 'Notes',
      text: 'Apollo starts in May.\n> It needs a rocket.\n\nAnd fuel.',
    })
  }
  return brain
}

/** The same Brain with a key that only reads. */
export const readOnly = async (handle) => {
  const { secret } = await client.brain(handle).keys.mint({ name: 'reader', capabilities: ['read'] })
  return createClient({ apiKey: secret, maxRetries: 0 }).brain(handle)
}

/** A Brain that was deleted. */
export const deletedBrain = async (handle) => {
  await client.brains.put(handle, {})
  await client.brains.delete(handle)
  return client.brain(handle)
}

/** The changes that wait for review. */
export const listPending = async (brain) => (await brain.changes.list({ decision: 'pending' })).changes

/** A change that a model proposes. */
export const proposal = { operations: [{ op: 'record.create', kind: 'person', fields: { name: 'Grace' } }] }

/** The names of the tools that a key with all capabilities has, and of those of one that reads. */
export const readingTools = ['knowledge_search', 'knowledge_context', 'knowledge_query', 'knowledge_read']
export const allTools = [...readingTools, 'knowledge_write']

/** A signal that has aborted. */
export const aborted = () => AbortSignal.abort(new Error('stopped'))

/** The example of a package, as its README has it. */
export const loadExample = (name) => import(`./${name}.ts`)

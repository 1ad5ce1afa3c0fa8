import type { TestApp, TestBrain } from '../../../test/app.ts'

type Listed = { type: string; data: { change?: string; [name: string]: unknown } }

/** The events of a Brain. */
export const listEvents = async (brain: TestBrain): Promise<Listed[]> =>
  (await brain.call('GET', '/events')).body.data.events

/** The newest entries of the audit log whose actions begin with a word, the newest first. */
export const listAudit = async (app: TestApp, { key }: TestBrain, word: string): Promise<{ action: string }[]> => {
  const { body } = await app.request('GET', '/v1/audit?order=desc', { key })
  return body.data.entries.filter(({ action }: { action: string }) => action.startsWith(word))
}

import { afterAll, beforeAll } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { type ObjectServer, startObjectServer } from '../../../test/object-server.ts'
import { useFiles } from './use-files.fixture.ts'

/** The places that the bytes of files may be in. Callers see no difference, so their tests run with each (FIL-20). */
export const places = [{ place: 'PostgreSQL' }, { place: 'an S3-compatible store' }]

/** A service whose files are in this place. */
export const usePlace = (place: string, settings: Record<string, string> = {}) => {
  const isStore = place !== 'PostgreSQL'
  const app = {} as TestApp
  const server = {} as ObjectServer
  beforeAll(async () => {
    if (isStore) Object.assign(server, await startObjectServer())
    Object.assign(app, await startTestApp({ ...settings, ...server.settings }))
  })
  afterAll(async () => {
    await app.close()
    await server.close?.()
  })
  const count = async (organizationId: string) => (isStore ? server.count(organizationId) : 0)
  return { app, isStore, server, ...useFiles(app, { count }) }
}

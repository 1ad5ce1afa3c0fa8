import { startTestApp } from '../../server/src/test/app.ts'
import { findFreePort } from '../../server/src/test/free-port.ts'

/** The settings of a service, given its origin. */
export type ServiceSettings = (origin: string) => Promise<Record<string, string>>

/** The whole service at the origin of its pages, so that it trusts them. */
export const startService = async (settings?: ServiceSettings) => {
  const port = await findFreePort()
  const origin = `http://127.0.0.1:${port}`
  const app = await startTestApp({ NOEMA_PORT: String(port), NOEMA_PUBLIC_URL: origin, ...(await settings?.(origin)) })
  return { ...app, origin }
}

export type Service = Awaited<ReturnType<typeof startService>>

export const password = 'correct horse battery'

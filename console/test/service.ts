import { startTestApp } from '../../server/src/test/app.ts'
import { findFreePort } from '../../server/src/test/free-port.ts'

/** The whole service under the address that its pages are opened at, so that it trusts them. */
export const startService = async (settings?: (origin: string) => Promise<Record<string, string>>) => {
  const port = await findFreePort()
  const origin = `http://127.0.0.1:${port}`
  const others = (await settings?.(origin)) ?? {}
  const app = await startTestApp({ NOEMA_PORT: String(port), NOEMA_PUBLIC_URL: origin, ...others })
  return { ...app, origin }
}

export type Service = Awaited<ReturnType<typeof startService>>

export const password = 'correct horse battery'

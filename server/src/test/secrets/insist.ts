import type { TestApp } from '../app.ts'

/** A call that must succeed: a missing object cannot leak. */
export const insist = async (sent: ReturnType<TestApp['request']>) => {
  const { status, body } = await sent
  if (status >= 300) throw new Error(JSON.stringify(body))
  return body.data
}

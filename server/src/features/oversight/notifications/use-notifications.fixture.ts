import type { Notification } from '@noema/contracts/notifications.ts'
import type { TestApp } from '../../../test/app.ts'

type Session = Record<string, string>

/** Reads and marks notifications as a person. */
export const asReader = ({ request }: Pick<TestApp, 'request'>, headers: Session) => {
  const call = async (method: string, below = '', body?: object) => {
    const { status, body: answer } = await request(method, `/v1/notifications${below}`, {
      headers,
      ...(body ? { body } : {}),
    })
    return { status, ...answer }
  }
  const list = async (query = ''): Promise<Notification[]> =>
    (await call('GET', `?limit=500${query}`)).data.notifications
  return {
    call,
    list,
    open: () => list('&state=open'),
    waiting: async () => (await call('GET', '/waiting')).data.waiting,
    mark: (body: object) => call('POST', '/read', body),
  }
}

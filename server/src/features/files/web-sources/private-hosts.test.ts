import { expect, test } from 'vitest'
import { createBrain } from '../../../test/app.ts'
import { useApp } from '../../../test/harness.ts'

const app = useApp()

test('WEB-08 URLs of private hosts, of other schemes and with passwords are refused', async () => {
  const brain = await createBrain(app)
  const refused = [
    ...[
      'http://example.com/',
      'https://10.0.0.1/',
      'https://localhost/',
      'https://169.254.169.254/latest',
      'file:///etc/passwd',
    ],
    ...[
      'https://[::1]/',
      'https://user:password@example.com/',
      'https://2886729729/',
      'javascript:alert(1)',
      'https://wiki.internal/',
    ],
  ]
  for (const url of refused) {
    const answer = await brain.call('POST', '/web-sources/wiki/pages', { add: [url] })
    expect([url, answer.status, answer.body.error.details[0].path]).toEqual([url, 400, 'body.add.0'])
  }
})

import { expect, test } from 'vitest'
import { toPublished, toPublishedText, toWebAddress } from './published.ts'

test.each([
  ['https://host.example/owner/name.git', 'https://host.example/owner/name'],
  ['https://user:token@host.example/owner/name', 'https://host.example/owner/name'],
  ['git@host.example:owner/name.git', 'https://host.example/owner/name'],
  ['ssh://git@host.example:2222/owner/name.git\n', 'https://host.example/owner/name'],
  ['/somewhere/on/a/disk', undefined],
  ['file:///somewhere', undefined],
  ['../beside', undefined],
])('the public address of the remote %s is %s', (remote, address) => expect(toWebAddress(remote)).toBe(address))

test('a package names the repository that it came from, and none if that is not public', () => {
  const address = 'https://host.example/owner/name'
  expect(toPublished('sdk', address)).toMatchObject({
    homepage: `${address}#readme`,
    repository: { type: 'git', url: `git+${address}.git`, directory: 'sdk' },
    bugs: { url: `${address}/issues` },
  })
  expect(toPublished('sdk', '')).toEqual({
    keywords: expect.arrayContaining(['agents', 'memory', 'mcp']),
    publishConfig: { access: 'public', provenance: true },
  })
})

test('a published README has no link into a folder that the package lacks', () => {
  const text = 'See [Noema](../README.md), [npm](https://npm.example/x), [above](#top) and ![a picture](docs/x.png).'
  const address = 'https://host.example/owner/name'
  expect(toPublishedText(text, 'sdk', address)).toBe(
    `See [Noema](${address}/blob/HEAD/README.md), [npm](https://npm.example/x), [above](#top) and ![a picture](${address}/raw/HEAD/sdk/docs/x.png).`,
  )
  expect(toPublishedText(text, 'sdk', '')).toBe('See Noema, [npm](https://npm.example/x), [above](#top) and a picture.')
})

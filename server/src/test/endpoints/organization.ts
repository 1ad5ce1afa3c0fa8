import { signUp, type TestApp, type TestBrain } from '../app.ts'
import { connectApp } from '../apps.ts'
import { fresh } from './fresh.ts'
import { asIs, at, type EndpointRows, plain } from './row.ts'

// The caller, the organization and its keys, accounts and notifications.

const ofSomebodyElse = (toBody: (person: Awaited<ReturnType<typeof signUp>>) => object) => async (test: TestApp) => {
  const person = await signUp(test)
  return { headers: person.session, body: toBody(person) }
}

const newManagementKey = async (test: TestApp, { session }: TestBrain): Promise<string> =>
  (await test.request('POST', '/v1/keys', { headers: session, body: { name: 'sample' } })).body.data.key.id

const onManagementKey = async (test: TestApp, brain: TestBrain) => ({
  params: { id: await newManagementKey(test, brain) },
})

const onApp = (names: readonly ('id' | 'grantId')[]) => async (test: TestApp, brain: TestBrain) => {
  const connected = await connectApp(test, brain, { brain: brain.brain.handle })
  return names.length === 0 ? {} : { params: Object.fromEntries(names.map((name) => [name, connected[name]])) }
}

export const organizationRows = {
  whoami: { needs: 'any credential', call: plain, aimed: asIs },
  'keys.list': { needs: 'session', call: plain, aimed: asIs },
  'keys.get': { needs: 'session', call: onManagementKey, aimed: at('managementKey') },
  'apps.list': { needs: 'management', call: onApp([]), aimed: asIs },
  'apps.revoke': { needs: 'management', call: onApp(['id']), aimed: at('app') },
  'apps.grants.narrow': {
    needs: 'management',
    call: async (test, brain) => ({
      ...(await onApp(['id', 'grantId'])(test, brain)),
      body: { capabilities: ['read'] },
    }),
    aimed: ({ app, grant }) => [{ params: { id: app, grantId: grant }, body: { capabilities: ['read'] } }],
  },
  'apps.grants.revoke': {
    needs: 'management',
    call: onApp(['id', 'grantId']),
    aimed: ({ app, grant }) => [{ params: { id: app, grantId: grant } }],
  },
  'audit.list': { needs: 'management', call: plain, aimed: asIs },
  'organization.get': { needs: 'management', call: plain, aimed: asIs },
  'organization.export': { needs: 'management', call: plain, aimed: asIs },
  'organization.previewDeletion': { needs: 'session', call: plain, aimed: asIs },
  'organization.delete': {
    needs: 'session',
    call: ofSomebodyElse(() => ({ confirm: 'Somebody' })),
    aimed: () => [{ body: { confirm: 'planted' } }],
    endsCaller: true,
    unaudited: 'the log is deleted with the organization; the erasure names who did it',
  },
  'account.previewDeletion': { needs: 'account', call: plain, aimed: asIs },
  'account.delete': {
    needs: 'account',
    call: ofSomebodyElse(({ email }) => ({ confirm: email, password: 'correct horse battery' })),
    aimed: () => [{ body: { confirm: 'planted' } }],
    endsCaller: true,
    unaudited: 'here its only organization is deleted with it; other organizations log that the member left',
  },
  'notifications.list': { needs: 'session', call: plain, aimed: asIs },
  'notifications.waiting': { needs: 'session', call: plain, aimed: asIs },
  'notifications.settings.get': { needs: 'session', call: plain, aimed: asIs },
  'notifications.read': {
    needs: 'session',
    call: () => ({ body: { ids: ['ntf_none'] } }),
    aimed: () => [{ body: { ids: ['planted'] } }, { body: { upTo: 'planted' } }],
    unaudited: 'it concerns one person alone',
  },
  'notifications.settings.patch': {
    needs: 'session',
    call: () => ({ body: { hour: 9 } }),
    aimed: () => [{ body: { timezone: 'Europe/Berlin' } }],
    unaudited: 'it concerns one person alone',
  },
  'accessRequests.submit': {
    needs: 'nobody',
    call: () => ({ body: { email: `${fresh('somebody')}@example.com` } }),
    aimed: () => [{ body: { email: 'planted@example.com' } }],
    unaudited: "it is a request of somebody outside, which the administrators' events keep",
  },
  overview: { needs: 'management', call: plain, aimed: asIs },
  'keys.mint': {
    needs: 'session',
    call: () => ({ body: { name: 'sample' } }),
    aimed: () => [{ body: { name: 'sample' } }],
    example: { body: { name: 'nightly import', idempotencyKey: 'nightly-import-1' } },
  },
  'keys.revoke': {
    needs: 'session',
    call: onManagementKey,
    aimed: at('managementKey'),
  },
} satisfies EndpointRows

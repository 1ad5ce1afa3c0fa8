import { beforeAll, expect, test } from 'vitest'
import { tools } from '../api/tools/tools.ts'
import { connectClient } from '../mcp/mcp-client.fixture.ts'
import { createMember, type TestMember } from '../test/app.ts'
import { allEndpoints, endpointRows, endsCaller } from '../test/endpoints/all.ts'
import { useOwnApp } from '../test/harness.ts'
import { callEverything, findReported, type Reported } from '../test/secrets/call-everything.ts'
import { classes, findSecrets, type Planted, plant } from '../test/secrets/plant.ts'

// No answer to any caller contains anything that the table of capabilities hides from that caller (AUT-04, D-05).

const all = ['read', 'write', 'review', 'admin'] as const

/**
 * Each capability alone, which is refused the most, and for each class of secrets the largest set that must not see it: any
 * answer to a key between these two is an answer to one of them as well.
 */
const sets = [
  ...all.map((one) => [one]),
  ...[
    ['write', 'admin'],
    ['write', 'review', 'admin'],
    ['read', 'write', 'admin'],
    ['read', 'write', 'review'],
    [...all],
  ],
]

const app = useOwnApp()
let member: TestMember
beforeAll(async () => {
  member = await createMember(app)
})

test('every action of a tool is an endpoint', () => {
  const known = new Set(allEndpoints.map(({ endpoint }) => endpoint))
  const actions = tools.flatMap((tool) => Object.values(tool.actions))
  expect(actions.filter((endpoint) => !known.has(endpoint))).toEqual([])
})

const isSeenBy = (held: readonly string[], secret: string): boolean => {
  const [, name = ''] = /^zq([a-z]+)-/.exec(secret) ?? []
  const seenBy: readonly string[] = classes[name as keyof typeof classes] ?? []
  return seenBy.some((capability) => held.includes(capability))
}

/** Calls every tool with the same arguments, and reads the server's introduction. */
const callTools = async (brain: Planted, key: string): Promise<Reported[]> => {
  const { client, close } = await connectClient(app, { key, handle: brain.brain.handle })
  const { tools: listed } = await client.listTools()
  const reported: Reported[] = [
    { name: 'initialize', status: 200, secrets: findSecrets(JSON.stringify([client.getInstructions(), listed])) },
  ]
  for (const tool of tools.filter(({ name }) => listed.some((one) => one.name === name)))
    for (const [action, endpoint] of Object.entries(tool.actions)) {
      const found = allEndpoints.find((one) => one.endpoint === endpoint)
      for (const { params, query, body } of found ? endpointRows[found.name].aimed(brain) : []) {
        const named = Object.keys(tool.actions).length > 1 ? { action } : {}
        const given = { ...named, ...params, ...query, ...body }
        const answer = await client.callTool({ name: tool.name, arguments: given })
        reported.push({
          name: `${tool.name} ${action}`,
          status: 200,
          secrets: findReported(JSON.stringify(answer), given),
        })
      }
    }
  await close()
  return reported
}

const leaks = (reported: readonly Reported[], held: readonly string[]) =>
  reported.flatMap(({ name, secrets }) => {
    const leaked = secrets.filter((secret) => !isSeenBy(held, secret))
    return leaked.length > 0 ? [`${name}: ${leaked.join(' ')}`] : []
  })

let planted = 0
const plantOne = () => plant(app, member, `planted-${++planted}`)

/** Endpoints that cannot succeed here: most are about the whole service, in which no secret is planted. */
const notPlanted = [
  'admin.accessRequests.approve',
  'admin.accessRequests.refuse',
  'admin.organizations.end',
  'admin.retryMail',
  // The planted Brain is open to its organization.
  'brain.access.takeOver',
  'brain.members.put',
  'brain.members.remove',
  // Anyone with the token of a link can read the file; no caller here gets a token.
  'artifacts.linked',
]

test('the sets of capabilities hold the greatest that see no secret of a class', () => {
  for (const seenBy of Object.values(classes)) {
    expect(sets).toContainEqual(all.filter((one) => !seenBy.some((capability) => capability === one)))
  }
})

test('a caller with full access sees every secret: each planted value can be found', async () => {
  const brain = await plantOne()
  const reported = [
    ...(await callTools(brain, member.key)),
    ...(await callEverything(app, await plantOne(), { ...member.session })),
    ...(await callEverything(app, brain, { authorization: `Bearer ${member.key}` })),
  ]
  const found = new Set(reported.flatMap(({ secrets }) => secrets))
  const missing = Object.keys(classes).filter((name) => ![...found].some((secret) => secret.startsWith(`zq${name}-`)))
  expect(missing).toEqual([])
  // No one may read sealed values.
  expect([...found].filter((secret) => secret.startsWith('zqsealed-'))).toEqual([])
  const works = new Set(reported.filter(({ status }) => status < 300).map(({ name }) => name))
  const refused: string[] = allEndpoints.map(({ name }) => name).filter((name) => !works.has(name))
  expect(refused.sort()).toEqual([...endsCaller, ...notPlanted, 'brain.import'].sort())
})

test.each(sets.map((held) => ({ name: held.join('+'), held })))(
  'AUT-04 D-05 D-20 a key with $name learns nothing that others may see: by no endpoint, tool, header or error',
  async ({ held }) => {
    const brain = await plantOne()
    const key = await brain.mintKey([...held])
    expect(leaks(await callTools(brain, key), held)).toEqual([])
    expect(leaks(await callEverything(app, brain, { authorization: `Bearer ${key}` }), held)).toEqual([])
  },
)

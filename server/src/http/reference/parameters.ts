import type { Access } from '@noema/contracts/access.ts'
import { type Endpoint, takesJson } from '@noema/contracts/endpoint.ts'
import { describeParameter } from '@noema/contracts/path-parameters.ts'
import type { Schema, ToSchema } from './schemas.ts'

// The parameters of operations. A shared one is a component.

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength })

const header = (name: string, description: string, schema: Schema, required = false) => ({
  name,
  in: 'header',
  required,
  description,
  schema,
})

const visible = { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' }

/** The headers that many operations take. */
const headerParameters = {
  IdempotencyKey: header(
    'Idempotency-Key',
    'A key of your choice: 1 to 255 visible ASCII characters. A repeat with the same key and body gets the first answer.',
    visible,
  ),
  IfMatch: header('If-Match', 'The version that must be current, in quotes.', {
    type: 'string',
    pattern: '^"[1-9]\\d{0,14}"$',
    examples: ['"3"'],
  }),
  LastEventId: header(
    'Last-Event-ID',
    'With `text/event-stream`: the id of the last message that arrived. Continues after it.',
    text(4000),
  ),
  Organization: header('x-organization-id', 'The organization to act in.', text(200), true),
  ActingIn: header('x-organization-id', 'The organization to act in. Sent with a session; keys need none.', text(200)),
  Prefer: header('Prefer', '`handling=strict` refuses body fields that are not declared, instead of ignoring them.', {
    type: 'string',
    examples: ['handling=strict'],
  }),
  PreferWait: header(
    'Prefer',
    '`wait=<seconds>` waits for the end, at most 60 seconds. `handling=strict` refuses body fields that are not declared, instead of ignoring them.',
    { type: 'string', examples: ['wait=30'] },
  ),
}

const refer = (name: string) => ({ $ref: `#/components/parameters/${name}` })

const listHeaders = (endpoint: Endpoint) => [
  ...(endpoint.idempotencyKey === 'header' ? [refer('IdempotencyKey')] : []),
  ...(endpoint.ifMatch ? [refer('IfMatch')] : []),
  ...(endpoint.tail || endpoint.sse ? [refer('LastEventId')] : []),
  ...(takesJson(endpoint) || endpoint.wait ? [refer(endpoint.wait ? 'PreferWait' : 'Prefer')] : []),
  ...listOrganization(endpoint.access),
]

const listOrganization = (access: Access) => {
  if (access === 'session') return [refer('Organization')]
  const isOfOrganization = access === 'management' || typeof access === 'object'
  return isOfOrganization ? [refer('ActingIn')] : []
}

const pathNames = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')

const examples: Record<string, string> = { handle: 'space-missions' }

const listPath = (endpoint: Endpoint) =>
  pathNames(endpoint.path).map((name) => ({
    name,
    in: 'path',
    required: true,
    description: describeParameter(endpoint.path, name),
    schema: { ...text(200), ...(examples[name] === undefined ? {} : { examples: [examples[name]] }) },
  }))

const listQuery = (toSchema: ToSchema, endpoint: Endpoint) => {
  const { properties = {}, required = [] } = endpoint.query ? toSchema(endpoint.query, 'input') : {}
  return Object.entries(properties as Record<string, Schema>).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: (required as string[]).includes(name),
    description,
    // One parameter for each key, such as `metadata[team]`.
    ...(schema.type === 'object' ? { style: 'deepObject', explode: true } : {}),
    schema,
  }))
}

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** Makes the parameters of operations, and gathers as components those that many take in the same form. */
export const createParameters = (toSchema: ToSchema, endpoints: readonly Endpoint[]) => {
  const components: Record<string, object> = { ...headerParameters }
  const inline = (endpoint: Endpoint) => [...listPath(endpoint), ...listQuery(toSchema, endpoint)]
  const uses = Map.groupBy(endpoints.flatMap(inline), (parameter) => JSON.stringify(parameter))
  const names = new Map<string, string>()
  for (const [key, [parameter, ...others]] of uses) {
    if (!parameter || others.length === 0) continue
    const plain = `${capitalize(parameter.in)}${capitalize(parameter.name)}`
    const count = [...names.values()].filter((name) => name.replace(/\d+$/, '') === plain).length
    const name = count === 0 ? plain : `${plain}${count + 1}`
    names.set(key, name)
    components[name] = parameter
  }
  const list = (endpoint: Endpoint) => [
    ...inline(endpoint).map((parameter) => {
      const name = names.get(JSON.stringify(parameter))
      return name === undefined ? parameter : refer(name)
    }),
    ...listHeaders(endpoint),
  ]
  return { list, components }
}

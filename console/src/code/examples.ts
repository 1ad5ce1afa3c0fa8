/** One call in the three ways to make it. */
type CodeExample = { curl: string; sdk: string; cli: string }

type Place = { baseUrl: string }
export type BrainPlace = Place & { handle: string }

export const shell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A word of a command: as it is where a shell takes it for nothing else. What an address bar held may be anything. */
export const word = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : shell(text))

/** A value as TypeScript would be written by hand: single quotes, and names without any where they need none. */
export const script = (value: unknown): string => {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  if (Array.isArray(value)) return `[${value.map(script).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  const name = (key: string) => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : script(key))
  return entries.length === 0 ? '{}' : `{ ${entries.map(([key, item]) => `${name(key)}: ${script(item)}`).join(', ')} }`
}

const json = "-H 'content-type: application/json'"
export const bearer = '-H "authorization: Bearer $NOEMA_API_KEY"'

export const body = (value: object): string => `${json} \\\n  -d ${shell(JSON.stringify(value))}`

export const client = ({ baseUrl }: Place): string =>
  `import { createClient } from '@noema/sdk'

// Reads the key from NOEMA_API_KEY.
const client = createClient({ baseUrl: ${script(baseUrl)} })
`

export const cli = ({ baseUrl }: Place, command: string): string =>
  `# Reads the key from NOEMA_API_KEY.\nnpx noema --base-url ${word(baseUrl)} ${command}`

type Minting = BrainPlace & {
  organizationId: string
  email: string
  name: string
  capabilities?: readonly string[]
}

/** A Brain key, minted with a session, as the page does it; unless told, it reads and writes. */
export const mintBrainKeyCode = ({
  baseUrl,
  handle,
  organizationId,
  email,
  name,
  capabilities = ['read', 'write'],
}: Minting): CodeExample => ({
  curl: `curl -c noema.cookies ${word(`${baseUrl}/api/auth/sign-in/email`)} \\
  -H ${shell(`origin: ${new URL(baseUrl).origin}`)} \\
  ${body({ email, password: '…' })}

curl -b noema.cookies ${word(`${baseUrl}/v1/brains/${handle}/keys`)} \\
  -H ${shell(`origin: ${new URL(baseUrl).origin}`)} \\
  -H ${shell(`x-organization-id: ${organizationId}`)} \\
  ${body({ name, capabilities })}`,
  sdk: `import { createClient } from '@noema/sdk'

// The cookie is that of a signed-in session.
const client = createClient({
  baseUrl: ${script(baseUrl)},
  headers: { cookie, origin: ${script(new URL(baseUrl).origin)}, 'x-organization-id': ${script(organizationId)} },
})
const { key, secret } = await client.brain(${script(handle)}).keys.mint(${script({ name, capabilities })})`,
  cli: `# Where the service runs, on its own database: a management key, for every Brain of the organization.\nexport NOEMA_API_KEY=$(npx noema keys mint --email ${shell(email)} --name ${shell(name)})`,
})

export const putBrainCode = (place: BrainPlace, purpose: string | undefined): CodeExample => ({
  curl: `curl -X PUT ${word(`${place.baseUrl}/v1/brains/${place.handle}`)} \\\n  ${bearer} \\\n  ${body({ purpose })}`,
  sdk: `${client(place)}const { brain } = await client.brains.put(${script(place.handle)}, ${script({ purpose })})`,
  cli: `# Makes the Brain, and a document of every text file.\n${cli(place, `sync ./docs --brain ${word(place.handle)} --create`)}`,
})

/** What a first write holds. */
export type FirstWrite =
  | { what: 'record'; kind: string; fields: Record<string, unknown> }
  | { what: 'document'; title: string; text: string }

export const writeCode = (place: BrainPlace, { what, ...content }: FirstWrite): CodeExample => ({
  curl: `curl ${word(`${place.baseUrl}/v1/brains/${place.handle}/${what}s`)} \\\n  ${bearer} \\\n  ${body(content)}`,
  sdk: `${client(place)}const { ${what} } = await client.brain(${script(place.handle)}).${what}s.${what === 'record' ? 'create' : 'put'}(${script(content)})`,
  cli: `# The command line writes documents: one of every text file.\n${cli(place, `sync ./docs --brain ${word(place.handle)}`)}`,
})

export const followCode = (
  place: BrainPlace,
  query: { types?: readonly string[]; after?: string | undefined },
): CodeExample => {
  const { types = [], after } = query
  const parameters = [types.length > 0 && `types=${types.join(',')}`, after && `after=${encodeURIComponent(after)}`]
    .filter(Boolean)
    .join('&')
  const options = { ...(types.length > 0 ? { types } : {}), ...(after ? { after } : {}) }
  const flags = [types.length > 0 && ` --types ${word(types.join(','))}`, after && ` --after ${word(after)}`]
    .filter(Boolean)
    .join('')
  return {
    curl: `curl -N ${shell(`${place.baseUrl}/v1/brains/${place.handle}/events${parameters && `?${parameters}`}`)} \\\n  ${bearer} \\\n  -H 'accept: text/event-stream'`,
    sdk: `${client(place)}for await (const event of client.brain(${script(place.handle)}).events.follow(${Object.keys(options).length > 0 ? script(options) : ''})) {
  console.log(event.type, event.cursor)
}`,
    cli: cli(place, `events tail --brain ${word(place.handle)}${flags}`),
  }
}

export const listCode = (
  place: BrainPlace,
  what: 'records' | 'documents' | 'receipts',
  query: Record<string, string>,
): CodeExample => {
  const parameters = new URLSearchParams(query).toString()
  return {
    curl: `curl ${shell(`${place.baseUrl}/v1/brains/${place.handle}/${what}${parameters && `?${parameters}`}`)} \\\n  ${bearer}`,
    sdk: `${client(place)}for await (const ${what.slice(0, -1)} of client.brain(${script(place.handle)}).${what}.list(${Object.keys(query).length > 0 ? script(query) : ''})) {
  console.log(${what.slice(0, -1)}.id)
}`,
    cli: `# The command line follows what is written.\n${cli(place, `events tail --brain ${word(place.handle)}`)}`,
  }
}

/** A read of one thing or receipt. The command line has none of its own; an export holds every thing. */
export const readCode = (
  place: BrainPlace,
  {
    what,
    id,
    asOf,
  }: { what: 'records' | 'statements' | 'documents' | 'receipts'; id: string; asOf?: number | undefined },
): CodeExample => ({
  curl: `curl ${shell(`${place.baseUrl}/v1/brains/${place.handle}/${what}/${encodeURIComponent(id)}${asOf === undefined ? '' : `?asOf=${asOf}`}`)} \\\n  ${bearer}`,
  sdk: `${client(place)}const answer = await client.brain(${script(place.handle)}).${what}.get(${script(id)}${asOf === undefined ? '' : `, ${script({ asOf })}`})`,
  cli: `# The command line exports a Brain, a line of JSON for each thing.\n${cli(place, `export --brain ${word(place.handle)}`)}`,
})

export const listBrainsCode = (place: Place): CodeExample => ({
  curl: `curl ${word(`${place.baseUrl}/v1/brains`)} \\\n  ${bearer}`,
  sdk: `${client(place)}for await (const brain of client.brains.list()) console.log(brain.handle)`,
  cli: `# Makes a Brain from a folder.\n${cli(place, 'sync ./docs --brain handbook --create')}`,
})

export const listKeysCode = ({ baseUrl, organizationId }: Place & { organizationId: string }): CodeExample => ({
  curl: `# noema.cookies is the cookie jar of a signed-in session.
curl -b noema.cookies ${word(`${baseUrl}/v1/keys`)} \\
  -H ${shell(`origin: ${new URL(baseUrl).origin}`)} \\
  -H ${shell(`x-organization-id: ${organizationId}`)}`,
  sdk: `import { createClient } from '@noema/sdk'

// The cookie is that of a signed-in session.
const client = createClient({
  baseUrl: ${script(baseUrl)},
  headers: { cookie, origin: ${script(new URL(baseUrl).origin)}, 'x-organization-id': ${script(organizationId)} },
})
for await (const key of client.keys.list()) console.log(key.name, key.status)`,
  cli: `# Mints one where the service runs, on its own database.\nexport NOEMA_API_KEY=$(npx noema keys mint --name another)`,
})

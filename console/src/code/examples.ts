/** One call as curl, TypeScript and command line. */
type CodeExample = { curl: string; sdk: string; cli: string }

type Target = { baseUrl: string }
export type BrainTarget = Target & { handle: string }

export const shell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A word of a shell command, quoted unless it is harmless: text from a URL may contain anything. */
export const word = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : shell(text))

/** A value as hand-written TypeScript: single quotes, and unquoted names where possible. */
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

export const client = ({ baseUrl }: Target): string =>
  `import { createClient } from '@noema/sdk'

// Reads the key from NOEMA_API_KEY.
const client = createClient({ baseUrl: ${script(baseUrl)} })
`

export const cli = ({ baseUrl }: Target, command: string): string =>
  `# Reads the key from NOEMA_API_KEY.\nnpx noema --base-url ${word(baseUrl)} ${command}`

type Minting = BrainTarget & {
  organizationId: string
  email: string
  name: string
  capabilities?: readonly string[]
}

/** Mints a Brain key with a session, as the page does; by default with read and write. */
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

// The cookie of a signed-in session.
const client = createClient({
  baseUrl: ${script(baseUrl)},
  headers: { cookie, origin: ${script(new URL(baseUrl).origin)}, 'x-organization-id': ${script(organizationId)} },
})
const { key, secret } = await client.brain(${script(handle)}).keys.mint(${script({ name, capabilities })})`,
  cli: `# On the host of the service: a management key, for every Brain of the organization.\nexport NOEMA_API_KEY=$(npx noema keys mint --email ${shell(email)} --name ${shell(name)})`,
})

export const putBrainCode = (target: BrainTarget, purpose: string | undefined): CodeExample => ({
  curl: `curl -X PUT ${word(`${target.baseUrl}/v1/brains/${target.handle}`)} \\\n  ${bearer} \\\n  ${body({ purpose })}`,
  sdk: `${client(target)}const { brain } = await client.brains.put(${script(target.handle)}, ${script({ purpose })})`,
  cli: `# Creates the Brain, and a document for each text file.\n${cli(target, `sync ./docs --brain ${word(target.handle)} --create`)}`,
})

/** The content of a first write. */
export type FirstWrite =
  | { what: 'record'; kind: string; fields: Record<string, unknown> }
  | { what: 'document'; title: string; text: string }

export const writeCode = (target: BrainTarget, { what, ...content }: FirstWrite): CodeExample => ({
  curl: `curl ${word(`${target.baseUrl}/v1/brains/${target.handle}/${what}s`)} \\\n  ${bearer} \\\n  ${body(content)}`,
  sdk: `${client(target)}const { ${what} } = await client.brain(${script(target.handle)}).${what}s.create(${script(content)})`,
  cli: `# The command line writes documents, one for each text file.\n${cli(target, `sync ./docs --brain ${word(target.handle)}`)}`,
})

export const followCode = (
  target: BrainTarget,
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
    curl: `curl -N ${shell(`${target.baseUrl}/v1/brains/${target.handle}/events${parameters && `?${parameters}`}`)} \\\n  ${bearer} \\\n  -H 'accept: text/event-stream'`,
    sdk: `${client(target)}for await (const event of client.brain(${script(target.handle)}).events.follow(${Object.keys(options).length > 0 ? script(options) : ''})) {
  console.log(event.type, event.cursor)
}`,
    cli: cli(target, `events tail --brain ${word(target.handle)}${flags}`),
  }
}

export const listCode = (
  target: BrainTarget,
  what: 'records' | 'statements' | 'documents' | 'receipts',
  query: Record<string, string>,
): CodeExample => {
  const parameters = new URLSearchParams(query).toString()
  return {
    curl: `curl ${shell(`${target.baseUrl}/v1/brains/${target.handle}/${what}${parameters && `?${parameters}`}`)} \\\n  ${bearer}`,
    sdk: `${client(target)}for await (const ${what.slice(0, -1)} of client.brain(${script(target.handle)}).${what}.list(${Object.keys(query).length > 0 ? script(query) : ''})) {
  console.log(${what.slice(0, -1)}.id)
}`,
    cli: `# The command line follows the stream.\n${cli(target, `events tail --brain ${word(target.handle)}`)}`,
  }
}

/** A request for one item or receipt. The command line has no command for it; an export has every item. */
export const readCode = (
  target: BrainTarget,
  {
    what,
    id,
    asOf,
  }: { what: 'records' | 'statements' | 'documents' | 'receipts'; id: string; asOf?: number | undefined },
): CodeExample => ({
  curl: `curl ${shell(`${target.baseUrl}/v1/brains/${target.handle}/${what}/${encodeURIComponent(id)}${asOf === undefined ? '' : `?asOf=${asOf}`}`)} \\\n  ${bearer}`,
  sdk: `${client(target)}const answer = await client.brain(${script(target.handle)}).${what}.get(${script(id)}${asOf === undefined ? '' : `, ${script({ asOf })}`})`,
  cli: `# The command line exports a Brain as lines of JSON.\n${cli(target, `export --brain ${word(target.handle)}`)}`,
})

export const listBrainsCode = (target: Target): CodeExample => ({
  curl: `curl ${word(`${target.baseUrl}/v1/brains`)} \\\n  ${bearer}`,
  sdk: `${client(target)}for await (const brain of client.brains.list()) console.log(brain.handle)`,
  cli: `# Creates a Brain from a folder.\n${cli(target, 'sync ./docs --brain handbook --create')}`,
})

export const listKeysCode = ({ baseUrl, organizationId }: Target & { organizationId: string }): CodeExample => ({
  curl: `# noema.cookies is the cookie jar of a signed-in session.
curl -b noema.cookies ${word(`${baseUrl}/v1/keys`)} \\
  -H ${shell(`origin: ${new URL(baseUrl).origin}`)} \\
  -H ${shell(`x-organization-id: ${organizationId}`)}`,
  sdk: `import { createClient } from '@noema/sdk'

// The cookie of a signed-in session.
const client = createClient({
  baseUrl: ${script(baseUrl)},
  headers: { cookie, origin: ${script(new URL(baseUrl).origin)}, 'x-organization-id': ${script(organizationId)} },
})
for await (const key of client.keys.list()) console.log(key.name, key.status)`,
  cli: `# Mints a key on the host of the service.\nexport NOEMA_API_KEY=$(npx noema keys mint --name another)`,
})

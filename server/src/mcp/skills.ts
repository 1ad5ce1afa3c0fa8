import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import {
  DIRECTORY_MIME_TYPE,
  type Skill as SkillEntry,
  type SkillReadResult,
  type SkillSource,
  SkillsExtension,
} from '@modelcontextprotocol/server/ext/skills'
import type { mcp } from '@noema/contracts/mcp.ts'
import { skillFile, skillName, skillPath } from '@noema/contracts/skills.ts'
import type { AppDeps } from '../api/app-deps.ts'
import type { Call } from '../api/binding.ts'
import { toApiError } from '../api/errors.ts'
import { leaveReceipt } from '../features/retrieval/receipts/leave-receipt.ts'
import { listManifests, readSkill, readSkillFile, type SkillManifest } from '../features/writing/skills/skills.ts'

// The skills of a Brain by the Skills extension of the protocol (SEP-2640): skill://<handle>/<name>/<path>. A file that is read leaves a
// receipt, so that a correction finds its readers.

type Principal = Call<typeof mcp>['principal']
type Address = { name: string; path: string }

/** The skills of one page, each with all of its files. */
const pageSize = 20

const toUri = (handle: string, name: string, path: string): string =>
  `skill://${handle}/${[name, ...path.split('/')].map(encodeURIComponent).join('/')}`

/** The skill and the path that an address names; the path is empty for the skill's folder. */
const readUri = (handle: string, uri: string): Address | undefined => {
  const start = `skill://${handle}/`
  if (!uri.startsWith(start) || /[?#]/.test(uri)) return undefined
  try {
    const [name = '', ...parts] = uri.slice(start.length).split('/').map(decodeURIComponent)
    if (!skillName.safeParse(name).success) return undefined
    const path = parts.join('/')
    return path === '' && parts.length > 0 ? undefined : { name, path }
  } catch {
    return undefined
  }
}

const readFileUri = (handle: string, uri: string): Address | undefined => {
  const address = readUri(handle, uri)
  return address && skillPath.safeParse(address.path).success ? address : undefined
}

const toEntry = (handle: string, { name, frontmatter, files }: SkillManifest): SkillEntry => ({
  uri: toUri(handle, name, skillFile),
  frontmatter,
  resources: files.map(({ path, digest, bytes }) => ({
    ...{ uri: toUri(handle, name, path), digest: `sha256:${digest}`, size: bytes },
  })),
})

/** The children of a folder: files, and folders once. */
const listChildren = (files: readonly { path: string; contentType: string }[], folder: string) => {
  const start = folder === '' ? '' : `${folder}/`
  const children = new Map<string, string>()
  for (const { path, contentType } of files) {
    if (!path.startsWith(start)) continue
    const [child = '', ...rest] = path.slice(start.length).split('/')
    children.set(start + child, rest.length > 0 ? DIRECTORY_MIME_TYPE : contentType)
  }
  return [...children]
}

/** Runs a read: what is not there is undefined, and other errors are reported as anywhere else. */
const reading = async <Found>({ log }: AppDeps, read: () => Promise<Found>): Promise<Found | undefined> => {
  try {
    return await read()
  } catch (thrown) {
    const error = toApiError(thrown, log)
    if (error.kind === 'not_found') return undefined
    const code = error.kind === 'validation' ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError
    throw new ProtocolError(code, error.message)
  }
}

const readEntry = async (deps: AppDeps, { brain }: Principal, uri: string): Promise<SkillEntry | undefined> => {
  const address = readFileUri(brain.handle, uri)
  if (address?.path !== skillFile) return undefined
  const found = await reading(deps, () => readSkill(deps, brain, address))
  if (!found || found.skill.problem !== undefined || 'problem' in found.frontmatter) return undefined
  const { name, files } = found.skill
  return toEntry(brain.handle, { name, frontmatter: found.frontmatter.frontmatter, files })
}

const readResource = (deps: AppDeps, principal: Principal, uri: string): Promise<SkillReadResult | undefined> => {
  const { brain } = principal
  const address = readFileUri(brain.handle, uri)
  if (!address) return Promise.resolve(undefined)
  return reading(deps, async () => {
    const { file, stateVersion } = await readSkillFile(deps, brain, address)
    const consumerId = 'app' in principal ? principal.app?.name : undefined
    const items = [{ type: 'document' as const, id: file.documentId, version: file.version }]
    await leaveReceipt(deps, brain, { consumerId, operation: 'read', stateVersion, items })
    return { text: file.text, mimeType: file.contentType }
  })
}

const readFolder = async (deps: AppDeps, { brain }: Principal, uri: string) => {
  const address = readUri(brain.handle, uri)
  const found = address && (await reading(deps, () => readSkill(deps, brain, address)))
  const children = found ? listChildren(found.skill.files, address.path) : []
  if (!address || children.length === 0) return undefined
  const resources = children.map(([path, mimeType]) => ({
    ...{ uri: toUri(brain.handle, address.name, path), name: path.split('/').at(-1) ?? path, mimeType },
  }))
  return { resources }
}

const createSource = (deps: AppDeps, principal: Principal): SkillSource => {
  const { brain } = principal
  const list = (after: string | undefined) =>
    reading(deps, () => listManifests(deps, brain, { after, limit: pageSize }))
  return {
    list: async ({ cursor: after }) => {
      const { skills = [], cursor = '', hasMore = false } = (await list(after)) ?? {}
      return { skills: skills.map((one) => toEntry(brain.handle, one)), ...(hasMore ? { nextCursor: cursor } : {}) }
    },
    get: (uri) => readEntry(deps, principal, uri),
    read: (uri) => readResource(deps, principal, uri),
    readDirectory: (uri) => readFolder(deps, principal, uri),
    listResources: async () =>
      ((await list(undefined))?.skills ?? []).map(({ name, frontmatter: { description } }) => ({
        ...{ uri: toUri(brain.handle, name, skillFile), name, description, mimeType: 'text/markdown' },
      })),
  }
}

/** The skills of a Brain for a reader. Their list may change at any time, and is theirs alone. */
export const serveSkills = (deps: AppDeps, principal: Principal): SkillsExtension =>
  new SkillsExtension({
    source: createSource(deps, principal),
    cacheHint: { ttlMs: 0, cacheScope: 'private' },
    onWarning: ({ path, message }) => deps.log.warn({ path, message }, 'a skill was not served'),
  })

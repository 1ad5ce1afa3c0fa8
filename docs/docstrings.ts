import { readdirSync, readFileSync } from 'node:fs'
import { endpoints } from '../contracts/src/api.ts'
import { mcpEndpoints } from '../contracts/src/mcp.ts'
import { getOpenApi } from '../contracts/src/openapi.ts'
import { sharedSchemas } from '../server/src/http/reference/shared-schemas.ts'

// The docstrings of the contracts: what the reference says of operations and shapes.

const folder = new URL('../contracts/src/', import.meta.url)

/** The names of the reference for what the contracts export. */
const names = new Map<unknown, string>([
  ...Object.entries(sharedSchemas).map(([name, schema]) => [schema, name] as const),
  ...[...endpoints, ...mcpEndpoints, { name: 'openapi', endpoint: getOpenApi }].map(
    ({ name, endpoint }) => [endpoint, name] as const,
  ),
])

const toText = (comment: string): string =>
  comment
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, '').trimEnd())
    .join('\n')
    .trim()
    .replaceAll(/\n(?!\n|- )(?<!\n\n)/g, ' ')

/** The docstring of each exported constant of a file. */
const readComments = (file: string): Map<string, string> =>
  new Map(
    [
      ...readFileSync(new URL(file, folder), 'utf8').matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport const (\w+)/g),
    ].map(([, comment = '', name = '']) => [name, toText(comment)]),
  )

const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))

const found = await Promise.all(
  files.map(async (file) => {
    const exported: Record<string, unknown> = await import(new URL(file, folder).href)
    const comments = readComments(file)
    return Object.entries(exported).flatMap(([constant, value]) => {
      const [name, text] = [names.get(value), comments.get(constant)]
      return name !== undefined && text !== undefined ? [[name, text] as const] : []
    })
  }),
)

/** The docstrings by the names of operations and of shared shapes. */
export const docstrings = Object.fromEntries(found.flat().sort(([a], [b]) => (a < b ? -1 : 1)))

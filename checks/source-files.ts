import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'

/** A TypeScript file of the project, with the project files and packages that it imports. */
export type SourceFile = { path: string; text: string; imports: string[]; packages: string[] }

const root = new URL('../', import.meta.url)

/** Every file that git tracks or would. */
export const projectFiles = (): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '')

export const readProjectFile = (path: string): string => readFileSync(new URL(path, root), 'utf8')

const importPattern =
  /(?:^|\n)\s*(?:import|export)\s[^'"`;]*?from\s*'([^']+)'|import\(\s*'([^']+)'\s*\)|(?:^|\n)import\s+'([^']+)'/g

const workspaceFolders: Record<string, string> = {
  '@noema/contracts': 'contracts/src',
  '@noema/server': 'server/src',
  '@noema/sdk': 'sdk/src',
}

/** The project file that an import names; undefined for packages and node's own modules. */
const resolveImport = (from: string, name: string): string | undefined => {
  if (name.startsWith('.')) return posix.normalize(posix.join(posix.dirname(from), name))
  const [scope, workspace, ...rest] = name.split('/')
  const folder = workspaceFolders[`${scope}/${workspace}`]
  if (folder === undefined) return undefined
  return `${folder}/${rest.length > 0 ? rest.join('/') : 'client.ts'}`
}

/** The source files of the workspaces, tests left out unless asked for. */
export const sourceFiles = ({ tests = false } = {}): SourceFile[] =>
  projectFiles()
    .filter((path) => /^(adapters|contracts|server|sdk|cli|console|bench|dev|packaging)\/.*\.tsx?$/.test(path))
    .filter((path) => tests || !/(\.test\.ts|\.fixture\.ts|\/test\/|\.config\.ts|\.d\.ts)/.test(path))
    .map((path) => {
      const text = readProjectFile(path)
      const names = [...text.matchAll(importPattern)].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
      const imports = names.flatMap((name) => resolveImport(path, name) ?? [])
      const packages = names.filter((name) => resolveImport(path, name) === undefined)
      return { path, text, imports, packages }
    })

import { type SourceFile, sourceFiles } from './source-files.ts'

// Finds the tests that need neither PostgreSQL nor another process: `npm run test:unit` runs only these, in seconds. The
// list follows from the imports of the tests.

const heavyFiles = /^server\/src\/(test\/(database|server-process)|storage\/embedded\/)|^console\/test\//
const heavyModules = ['node:child_process', 'node:worker_threads']

const isHeavy = ({ path, packages }: SourceFile): boolean =>
  heavyFiles.test(path) || packages.some((name) => heavyModules.includes(name))

/** The test files that reach nothing heavy by their imports, and those that do. */
export const sortTests = (): { unit: string[]; integration: string[] } => {
  const files = new Map(sourceFiles({ tests: true }).map((file) => [file.path, file]))
  const known = new Map<string, boolean>()
  const needsMore = (path: string): boolean => {
    const file = files.get(path)
    if (file === undefined) return false
    const before = known.get(path)
    if (before !== undefined) return before
    known.set(path, false)
    const answer = isHeavy(file) || file.imports.some(needsMore)
    known.set(path, answer)
    return answer
  }
  const tests = [...files.keys()].filter((path) => path.endsWith('.test.ts') && !path.startsWith('checks/'))
  const integration = tests.filter(needsMore)
  return { unit: tests.filter((path) => !integration.includes(path)), integration }
}

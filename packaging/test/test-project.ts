import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** An empty project of a user of the package, in a folder outside the repository. */
export type Project = {
  folder: string
  /** Writes files by their names. */
  write: (files: Readonly<Record<string, string>>) => Promise<void>
  /** Installs packages, by name or as tarballs. */
  install: (...packages: string[]) => Promise<void>
  /** Runs a program in the folder. Rejects with its output if it fails. */
  run: (program: string, args: readonly string[], env?: Record<string, string>) => Promise<string>
  remove: () => Promise<void>
}

// npm's settings for this test run are not for other projects.
export const outsideEnvironment = (): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|NOEMA_|NODE_OPTIONS$|VITEST)/.test(name)))

export const createProject = async (): Promise<Project> => {
  const folder = await mkdtemp(join(tmpdir(), 'noema-package-'))
  // PostgreSQL runs as another user where the tests run as root, and must reach its data.
  await chmod(folder, 0o755)
  const write: Project['write'] = async (files) => {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  }
  const run: Project['run'] = async (program, args, env = {}) => {
    const options = { cwd: folder, env: { ...outsideEnvironment(), ...env }, maxBuffer: 2 ** 24 }
    const { stdout } = await execute(program, args, options).catch((error) => {
      throw new Error(`${program} ${args.join(' ')}\n${error.stdout}\n${error.stderr}`, { cause: error })
    })
    return stdout
  }
  await write({ 'package.json': JSON.stringify({ name: 'somebodys-project', private: true, type: 'module' }) })
  return {
    folder,
    write,
    run,
    install: async (...packages) => {
      await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...packages])
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Packs built folders and gives the paths of their tarballs. */
export const pack = async (project: Project, ...built: string[]): Promise<string[]> => {
  const said = await project.run('npm', ['pack', '--silent', ...built])
  return said
    .trim()
    .split('\n')
    .map((name) => join(project.folder, name))
}

/** The npm package of an older Node for this machine, under another name. */
export const olderNode = (major: number): { name: string; program: string } => ({
  name: `node${major}@npm:node-${process.platform}-${process.arch}@${major}`,
  program: `node_modules/node${major}/bin/node`,
})

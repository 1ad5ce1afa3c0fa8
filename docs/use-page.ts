import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import type { TestApp, TestMember } from '../server/src/test/app.ts'
import { openShell } from './readme-shell.ts'

// A guide whose blocks of commands have names, run in one shell by a reader who has the address of the service and a key. The
// JSON below a block is what its output must contain.

const findBlock = (page: string, name: string) => {
  const block = new RegExp(`^\`\`\`sh name=${name}\\n(.*?)^\`\`\`$(?:\\n\\n\`\`\`json\\n(.*?)^\`\`\`$)?`, 'ms').exec(
    page,
  )
  if (!block) throw new Error(`The page has no commands named ${name}.`)
  return { commands: block[1] ?? '', shown: block[2] === undefined ? {} : JSON.parse(block[2]) }
}

/** Runs the named blocks of a guide, unchanged. */
export const usePage = (file: string, app: TestApp, member: TestMember) => {
  const page = readFileSync(new URL(file, import.meta.url), 'utf8')
  let folder: string
  let shell: ReturnType<typeof openShell>
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'noema-page-'))
    shell = openShell({ ...process.env, NOEMA_BASE_URL: app.base, NOEMA_API_KEY: member.key }, folder)
  })
  afterAll(async () => {
    await shell.close()
    rmSync(folder, { recursive: true })
  })
  const read = async (commands: string) => {
    const { status, stdout, stderr } = await shell.run(commands)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    return JSON.parse(stdout)
  }
  return {
    page,
    /** The data that a block prints, which contains what the page shows. */
    run: async (name: string) => {
      const { commands, shown } = findBlock(page, name)
      const answer = await read(commands)
      expect(answer).toMatchObject(shown)
      return answer.data
    },
    /** Runs a block until its output contains what the page shows. */
    runUntilShown: async (name: string) => {
      const { commands, shown } = findBlock(page, name)
      await expect.poll(() => read(commands)).toMatchObject(shown)
    },
  }
}

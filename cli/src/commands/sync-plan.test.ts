import { rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'
import { makeFolder, startBrain, sync } from '../test/scripted-brain.ts'

const deletion = async () => {
  const brain = await startBrain()
  const folder = await makeFolder({ 'a.md': 'a', 'b.md': 'b' })
  await runCli(sync(folder), brain.url)
  await rm(join(folder, 'b.md'))
  return { ...brain, folder }
}

test('the document of a deleted file is retired after a yes at the terminal, which names it', async () => {
  const { url, folder, applies } = await deletion()
  const questions: string[] = []
  const answer = (yes: boolean) => async (question: string) => {
    questions.push(question)
    return yes
  }
  const refused = await runCli(sync(folder), url, { ask: answer(false) })
  expect(refused).toMatchObject({ code: 0, stdout: '' })
  expect(refused.stderr).toBe(
    'wiki: 0 to add, 0 to update, 1 to retire, 1 unchanged.\n  retire wiki/b.md\nNothing was written.\n',
  )
  expect(applies).toHaveLength(1)
  const done = await runCli(sync(folder), url, { ask: answer(true) })
  expect(done.stderr).toContain('1 file: 0 created, 0 updated, 1 unchanged, 1 retired; state version 2.')
  expect(questions).toEqual(Array(2).fill('Retire 1 of the 2 documents of wiki?'))
})

test('without a terminal retiring needs --yes, and the refusal says so', async () => {
  const { url, folder, applies } = await deletion()
  const refused = await runCli(sync(folder), url)
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toContain('1 to retire')
  expect(refused.stderr).toContain('--yes')
  expect(applies).toHaveLength(1)
  const ended = await runCli(sync(folder, '--yes', '--json'), url)
  expect(JSON.parse(ended.stdout)).toMatchObject({ files: 1, retired: 1, unchanged: 1, stateVersion: 2 })
})

test('--no-retire keeps the documents of deleted files', async () => {
  const { url, folder, applies, parts } = await deletion()
  const ended = await runCli(sync(folder, '--no-retire'), url)
  expect(ended).toMatchObject({ code: 0, stderr: '1 file: 0 created, 0 updated, 1 unchanged; state version 1.\n' })
  expect(parts.at(-1)?.complete).toBe(false)
  expect(applies).toHaveLength(1)
})

test('nothing is retired while a part of the folder cannot be read', async () => {
  const { url, folder, parts } = await deletion()
  await symlink(join(folder, 'nowhere.md'), join(folder, 'broken.md'))
  const ended = await runCli(sync(folder), url)
  expect(ended.code).toBe(0)
  expect(ended.stderr).toContain('No document is retired, because not all of the folder could be read.')
  expect(parts.at(-1)?.complete).toBe(false)
})

test('--plan lists what would change and writes nothing', async () => {
  const { url, folder, applies } = await deletion()
  const ended = await runCli(sync(folder, '--plan'), url)
  expect(ended).toEqual({
    code: 0,
    stdout: '  retire wiki/b.md\n',
    stderr: 'wiki: 0 to add, 0 to update, 1 to retire, 1 unchanged.\n',
  })
  const asJson = await runCli(sync(folder, '--plan', '--json'), url)
  expect(JSON.parse(asJson.stdout)).toMatchObject({ snapshot: 'snp_1', counts: { retire: 1 }, skipped: [] })
  expect(applies).toHaveLength(1)
})

test.each([
  ['retire_guard', 'Add --allow-retire'],
  ['stale_plan', 'run the sync again'],
])('a refusal as %s exits 5 and says what to do', async (refusal, hint) => {
  const { url } = await startBrain({ refusal })
  const ended = await runCli(sync(await makeFolder({ 'a.md': 'a' }), '--yes'), url)
  expect(ended.code).toBe(5)
  expect(ended.stderr).toContain(hint)
})

test('--allow-retire is passed on', async () => {
  const { url, applies } = await startBrain()
  await runCli(sync(await makeFolder({ 'a.md': 'a' }), '--allow-retire'), url)
  expect(applies).toEqual([{ planRevision: 1, allowRetire: true }])
})

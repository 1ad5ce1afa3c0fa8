import { execFileSync, spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

const has = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0

/** Returns bash's completions after these words. */
const completeInBash = async (...words: string[]): Promise<string[]> => {
  const { stdout } = await runCli(['completion', 'bash'], '')
  const line = words.map((word) => `'${word}'`).join(' ')
  const ask = `COMP_WORDS=(noema ${line}); COMP_CWORD=${words.length}; _noema; printf '%s\\n' "\${COMPREPLY[@]}"`
  const offered = execFileSync('bash', ['--norc', '-c', `${stdout}\n${ask}`], { encoding: 'utf8' })
  return offered.split('\n').filter((word) => word !== '')
}

test('bash completes commands, what follows them, and options', async () => {
  expect(await completeInBash('rec')).toEqual(['records'])
  expect(await completeInBash('records', '')).toEqual(expect.arrayContaining(['list', 'show', 'put', 'delete']))
  expect(await completeInBash('changes', 'approve', '--no')).toEqual(['--no-publish'])
  expect(await completeInBash('records', '--brain', 'list', 'li')).toEqual([])
  expect(await completeInBash('search', '--json', '--min')).toEqual(['--min-evidence'])
})

test.skipIf(!has('zsh'))('zsh takes its script', async () => {
  const { stdout } = await runCli(['completion', 'zsh'], '')
  execFileSync('zsh', ['-n'], { input: stdout })
})

test.skipIf(!has('fish'))('fish completes commands and what follows them', async () => {
  const { stdout } = await runCli(['completion', 'fish'], '')
  const ask = `${stdout}\ncomplete -C 'noema records '`
  expect(execFileSync('fish', ['--no-config', '-c', ask], { encoding: 'utf8' })).toContain('list')
})

test('every shell has every command, and another shell is refused', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await runCli(['completion', shell], '')
    expect(code).toBe(0)
    for (const word of ['brains', 'min-evidence', 'approve']) expect(stdout).toContain(word)
  }
  expect((await runCli(['completion', 'tcsh'], '')).code).toBe(2)
})

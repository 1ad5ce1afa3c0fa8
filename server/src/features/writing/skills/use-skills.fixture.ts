import type { TestBrain } from '../../../test/app.ts'

// Skills for tests.

/** A SKILL.md with this name. */
export const toMain = (name: string, { description = `How to ${name}.`, fields = '', body = 'Do it.' } = {}): string =>
  `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n${fields}---\n\n# ${name}\n\n${body}\n`

type Texts = Readonly<Record<string, string>>

/** A body with SKILL.md and other files. */
export const toSkill = (name: string, others: Texts = {}, main = toMain(name)) => ({
  files: [{ path: 'SKILL.md', text: main }, ...Object.entries(others).map(([path, text]) => ({ path, text }))],
})

/** Calls about the skills of a Brain. */
export const useSkills = ({ call }: Pick<TestBrain, 'call'>) => ({
  put: (name: string, others: Texts = {}, more: object = {}, main = toMain(name)) =>
    call('PUT', `/skills/${name}`, { ...toSkill(name, others, main), ...more }),
  get: (name: string, query = '') => call('GET', `/skills/${name}${query}`),
  file: (name: string, path: string, query = '') =>
    call('GET', `/skills/${name}/files/${encodeURIComponent(path)}${query}`),
  list: (query = '') => call('GET', `/skills${query}`),
  remove: (name: string, query = '') => call('DELETE', `/skills/${name}${query}`),
  stateVersion: async (): Promise<number> => (await call('GET', '/skills')).body.data.stateVersion,
})

import type { TestApp, TestBrain } from '../app.ts'
import { fresh } from './fresh.ts'
import { asIs, type EndpointRows, inStream, plain } from './row.ts'

// Skills of a Brain.

const toText = (name: string) =>
  `---\nname: ${name}\ndescription: Read the log of a spacecraft.\n---\n\nBegin with its date.\n`

const toBody = (name: string) => ({ files: [{ path: 'SKILL.md', text: toText(name) }] })

const newSkill = async (_test: TestApp, brain: TestBrain) => {
  const name = fresh('skill')
  await brain.call('PUT', `/skills/${name}`, toBody(name))
  return { params: { name } }
}

const aFile = async (test: TestApp, brain: TestBrain) => {
  const { params } = await newSkill(test, brain)
  return { params: { ...params, path: 'SKILL.md' } }
}

/** The skill that the reference shows. */
const exampleSkill = async (brain: TestBrain) => {
  await brain.call('PUT', '/skills/read-logs', toBody('read-logs'))
  return { name: 'read-logs' }
}

const planted = { name: 'planted' }

export const skillsRows = {
  'brain.skills.list': { needs: ['read'], call: plain, aimed: asIs },
  'brain.skills.get': {
    needs: ['read'],
    call: newSkill,
    aimed: () => [{ params: planted }],
    example: async (_test, brain) => ({ params: await exampleSkill(brain) }),
  },
  'brain.skills.file': {
    needs: ['read'],
    call: aFile,
    aimed: () => [{ params: { ...planted, path: 'SKILL.md' } }],
    example: async (_test, brain) => ({ params: { ...(await exampleSkill(brain)), path: 'SKILL.md' } }),
  },
  'brain.skills.put': {
    needs: ['write'],
    call: () => {
      const name = fresh('skill')
      return { params: { name }, body: toBody(name) }
    },
    aimed: () => [{ params: planted, body: toBody('planted') }],
    example: { params: { name: 'read-logs' }, body: toBody('read-logs') },
    unaudited: inStream,
  },
  'brain.skills.delete': {
    needs: ['write'],
    call: newSkill,
    aimed: () => [{ params: planted }],
    example: async (_test, brain) => ({ params: await exampleSkill(brain) }),
    unaudited: inStream,
  },
} satisfies EndpointRows

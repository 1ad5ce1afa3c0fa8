import { deleteSkill, getSkill, getSkillFile, listSkills, putSkill } from '@noema/contracts/skills.ts'
import { removeSkill, storeSkill } from '../../features/writing/skills/put-skill.ts'
import { listSkillPage, readSkill, readSkillFile } from '../../features/writing/skills/skills.ts'
import { defineBinding } from '../binding.ts'
import { checkSkillName, checkSkillPath } from '../path-arguments.ts'
import { settledAnswer, toSubmitter } from '../write-answer.ts'

export const skillBindings = [
  defineBinding(putSkill, async (deps, { principal, params, body, idempotencyKey }) => {
    const request = { name: checkSkillName(params.name), body, asked: body, idempotencyKey }
    return settledAnswer(await storeSkill(deps, toSubmitter(deps, principal), principal.brain.brainId, request))
  }),
  defineBinding(listSkills, async (deps, { principal, query }) => ({
    data: await listSkillPage(deps, principal.brain, query),
  })),
  defineBinding(getSkill, async (deps, { principal, params, query }) => {
    const requested = { name: checkSkillName(params.name), asOf: query.asOf }
    const { skill, stateVersion } = await readSkill(deps, principal.brain, requested)
    return { data: { skill, stateVersion } }
  }),
  defineBinding(getSkillFile, async (deps, { principal, params, query }) => {
    const requested = { name: checkSkillName(params.name), path: checkSkillPath(params.path), asOf: query.asOf }
    const { file, stateVersion } = await readSkillFile(deps, principal.brain, requested)
    return { data: { file, stateVersion } }
  }),
  defineBinding(deleteSkill, async (deps, { principal, params, query, idempotencyKey }) => {
    const request = { name: checkSkillName(params.name), ifMatch: query.ifMatch, idempotencyKey }
    return settledAnswer(await removeSkill(deps, toSubmitter(deps, principal), principal.brain.brainId, request))
  }),
]

import type { Operation } from '@noema/contracts/batch.ts'
import { skillFile } from '@noema/contracts/skills.ts'
import { toSkillDocument } from '../../writing/skills/put-skill.ts'
import type { ItemContent } from './types.ts'

type SkillContent = Extract<ItemContent, { tools: string[] }>

/** A candidate for a skill. Its text has the names of tools and the places where it was seen, and nothing that a run has read. */
const toText = (name: string, { tools, description, seen, citations }: SkillContent): string =>
  [
    '---',
    `name: ${name}`,
    `description: ${JSON.stringify(description)}`,
    'metadata:',
    `  seenIn: ${JSON.stringify(citations.map(({ runId, operationId }) => `${runId}/${operationId}`).join(' '))}`,
    '---',
    '',
    `# ${name}`,
    '',
    `${seen} runs called these tools in this order. Say for which tasks, and what to give them, before you approve this.`,
    '',
    ...tools.map((tool, index) => `${index + 1}. Call \`${tool}\`.`),
    '',
  ].join('\n')

/** The write of a skill, as the document that its only file is. */
export const toSkillWrite = (name: string, content: SkillContent): Operation => ({
  op: 'document.put',
  ...toSkillDocument(name, { path: skillFile, text: toText(name, content) }),
  provenance: { source: 'distillation', trust: 'unverified' },
})

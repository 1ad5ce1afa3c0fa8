import { z } from 'zod'
import { handle } from './brains.ts'
import { changeRef, corrects } from './changes.ts'
import { asOf, itemId, itemVersion, json, largeBodyLimit, listQuery, pageResult, stateVersion } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { addErrors, writeErrors } from './error-codes.ts'

// Skills: folders of instructions for agents, in the format of agentskills.io. The files of a skill are documents of its Brain, so
// that they have versions, review and events like other documents.

/** The limits of skills. Sizes are bytes of UTF-8. */
export const skillLimits = {
  skills: 200,
  files: 100,
  fileBytes: 1024 * 1024,
  bytes: 5 * 1024 * 1024,
  pathLength: 120,
  /** Characters of the frontmatter of SKILL.md. */
  frontmatterLength: 4_096,
} as const

/** The file that every skill has. */
export const skillFile = 'SKILL.md'

/** The name of a skill: 1 to 64 of a-z, 0-9 and single hyphens between them. */
export const skillName = z
  .string()
  .max(64, 'The name of a skill has at most 64 characters.')
  .regex(
    /^[a-z0-9]+(-[a-z0-9]+)*$/,
    'The name of a skill has a-z, 0-9 and single hyphens between them, such as pdf-forms.',
  )

const pathRule =
  'A path is relative to the folder, such as references/forms.md: without "..", a leading "/", "\\" and control characters.'

/** The path of a file inside a skill. */
export const skillPath = z
  .string()
  .min(1, pathRule)
  .max(skillLimits.pathLength, `A path has at most ${skillLimits.pathLength} characters.`)
  .refine(
    (path) =>
      !/[\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(path) && !path.split('/').some((part) => ['', '.', '..'].includes(part)),
    pathRule,
  )

const skillVersionId = z.string().describe('Identifies the versions of all files together.')

const frontmatter = {
  name: skillName.describe('The name.'),
  description: z.string().nullable().describe('What it does and when to use it; null if SKILL.md is invalid.'),
  license: z.string().optional().describe('The license.'),
  compatibility: z.string().optional().describe('What it needs.'),
  metadata: z.record(z.string(), json).optional().describe('Values of its author.'),
  problem: z.string().optional().describe('Why agents do not get it; absent if nothing is wrong.'),
  skillVersionId,
}

export const skill = z
  .object({
    ...frontmatter,
    files: z.int().describe('The number of files.'),
    bytes: z.int().describe('The size of all files in bytes.'),
  })
  .describe('A skill, without its files.')
export type Skill = z.infer<typeof skill>

const fileFacts = {
  path: z.string().describe('The path.'),
  documentId: itemId.describe('The document that has the text.'),
  version: itemVersion,
  digest: z.string().describe('SHA-256 of the text as UTF-8, in hex'),
  bytes: z.int().describe('The size in bytes.'),
  contentType: z.string().describe('The media type.'),
}

/** A file of a skill, without its text. */
export const skillFileFacts = z.object(fileFacts).describe('A file of a skill.')

export const skillWithFiles = z
  .object({
    ...frontmatter,
    files: z.array(skillFileFacts).describe('The files by path.'),
  })
  .describe('A skill with its files, without their texts.')
export type SkillWithFiles = z.infer<typeof skillWithFiles>

/** A skill that an agent uses. Its Brain was found by its handle once and is known by its id since. */
export const agentSkill = z
  .object({
    brainId: itemId,
    brain: z.string().describe('The handle of the Brain that has the skill.'),
    name: z.string().describe('The name of the skill.'),
  })
  .describe('A skill that the agent may load.')

/** A skill as the write of an agent names it. */
export const newAgentSkill = z
  .object({ brain: handle, name: skillName.describe('The name of the skill.') })
  .describe('A skill of a Brain.')

const path = '/v1/brains/{handle}/skills/{name}' as const
const read = { capabilities: ['read'] } as const

/** The part of an answer that says what a write does to the files. */
const written = {
  outcome: z.enum(['landed', 'staged']).describe('The outcome: `landed` is applied, `staged` waits for review.'),
  change: changeRef.nullable().describe('The change; null if nothing differs.'),
  stateVersion: stateVersion.nullable().describe('The state; null while it waits.'),
}

const ifMatch = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe('The skillVersionId that you saw, or `none` for a new skill.')

/** The answer to a write of a skill. */
export const skillWrite = z
  .object({
    ...written,
    skill: z
      .object({
        name: skillName.describe('The name.'),
        skillVersionId: skillVersionId
          .nullable()
          .describe('The version; null if it is deleted, or the write waits for review.'),
      })
      .describe('The skill.'),
    counts: z
      .object({
        add: z.int().describe('New files.'),
        update: z.int().describe('Changed files.'),
        retire: z.int().describe('Retired files.'),
        unchanged: z.int().describe('Equal files.'),
      })
      .describe('What the write does to how many files.'),
  })
  .describe('The outcome of the write, and what it does to the files.')

/** A file of a skill, as it is written. */
export const newSkillFile = z
  .strictObject({ path: skillPath.describe('The path.'), text: z.string().describe('The text.') })
  .describe('A file.')

export const putSkill = defineEndpoint({
  method: 'PUT',
  path,
  summary: 'Write a skill',
  description:
    'Replaces the whole skill as one change: missing files are retired, equal ones stay. SKILL.md begins with YAML frontmatter that has ' +
    `this name and a description. At most ${skillLimits.files} texts of 1 MiB, 5 MiB together.`,
  access: { capabilities: ['write'] },
  body: z.object({
    files: z
      .array(newSkillFile)
      .min(1, 'A skill has at least SKILL.md.')
      .max(skillLimits.files, `A skill has at most ${skillLimits.files} files.`)
      .describe('All files of the skill.'),
    ifMatch,
    corrects,
    reason: z.string().min(1).max(2000).optional().describe('Why, for reviewers.'),
  }),
  bodyLimit: largeBodyLimit,
  idempotencyKey: 'header',
  errors: [...addErrors, 'source_conflict', 'stale_version', 'too_many_skills'],
  status: [200, 202],
  result: skillWrite,
})

export const listSkills = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/skills',
  summary: 'List skills',
  description: 'Lists the skills of a Brain by name, also those with a problem.',
  access: read,
  query: z.object({ ...listQuery, asOf }),
  status: [200],
  list: 'skills',
  result: z.object({ skills: z.array(skill).describe('The skills of this page.'), ...pageResult, stateVersion }),
})

export const getSkill = defineEndpoint({
  method: 'GET',
  path,
  summary: 'Read a skill',
  description: 'Reads a skill with the list of its files.',
  access: read,
  query: z.object({ asOf }),
  status: [200],
  result: z.object({ skill: skillWithFiles.describe('The skill.'), stateVersion }),
})

export const getSkillFile = defineEndpoint({
  method: 'GET',
  path: `${path}/files/{path}`,
  summary: 'Read a file of a skill',
  description: 'Reads a file. The slashes of its path are written as %2F.',
  access: read,
  query: z.object({ asOf }),
  status: [200],
  result: z.object({
    file: z.object({ ...fileFacts, text: z.string().describe('The text.') }).describe('The file.'),
    stateVersion,
  }),
})

export const deleteSkill = defineEndpoint({
  method: 'DELETE',
  path,
  summary: 'Delete a skill',
  description: 'Retires all files of a skill as one change.',
  access: { capabilities: ['write'] },
  query: z.object({ ifMatch }),
  idempotencyKey: 'header',
  errors: [...writeErrors, 'source_conflict', 'stale_version'],
  status: [200, 202],
  result: skillWrite,
})

/** The endpoints about skills, by their names in the table of the API. */
export const skillEndpoints = {
  put: putSkill,
  list: listSkills,
  get: getSkill,
  file: getSkillFile,
  delete: deleteSkill,
} as const

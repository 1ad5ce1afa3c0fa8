import { codeText } from '@noema/contracts/admin.ts'
import { artifactType } from '@noema/contracts/artifacts.ts'
import { handle } from '@noema/contracts/brains.ts'
import { contentId, newContentId } from '@noema/contracts/common.ts'
import { corpusName } from '@noema/contracts/corpora.ts'
import { documentSource } from '@noema/contracts/documents.ts'
import { stepKey } from '@noema/contracts/flows.ts'
import { packName } from '@noema/contracts/pack-files.ts'
import { providerName } from '@noema/contracts/providers.ts'
import { rubricName } from '@noema/contracts/rubrics.ts'
import { schemaName } from '@noema/contracts/schemas.ts'
import { skillName, skillPath } from '@noema/contracts/skills.ts'
import type { z } from 'zod'
import { refuseAt } from '../shared/errors.ts'

// A name in a path is any text until an operation asks for more: most malformed names match nothing. If a path makes something,
// or names a thing of the Brain, the rule of its kind is checked here.

const check =
  (schema: z.ZodType<string>, what: string) =>
  (given: string, argument = what): string => {
    const parsed = schema.safeParse(given)
    const wellFormed = parsed.success && given.isWellFormed() && !given.includes('\0')
    if (wellFormed) return parsed.data
    const message =
      parsed.error?.issues[0]?.message ?? `The ${what} cannot contain the character U+0000 or half of a surrogate pair.`
    throw refuseAt([argument], message)
  }

/** An id, held to the same rule as one from a body. */
export const checkId = check(contentId, 'id')

/** The id of an item that the call makes where it is not there. */
export const checkNewId = check(newContentId, 'id')

/** The name of a source, held to the same rule as one from a body. */
export const checkSource = check(documentSource.shape.name, 'source')

/** The handle of a Brain that is to be made. */
export const checkHandle = check(handle, 'handle')

/** The name of an organization's schema. */
export const checkSchemaName = check(schemaName, 'name')

/** The name of a corpus. */
export const checkCorpusName = check(corpusName, 'name')

/** The name of a rubric. */
export const checkRubricName = check(rubricName, 'name')

/** The key of a step. */
export const checkStepKey = check(stepKey, 'key')

/** The name of a skill. */
export const checkSkillName = check(skillName, 'name')

/** The name of a pack that is written. */
export const checkPackName = check(packName, 'name')

/** The path of a file inside a skill. */
export const checkSkillPath = check(skillPath, 'path')

/** The name of a provider of language models. */
export const checkProviderName = check(providerName, 'name')

/** An invitation code. */
export const checkCode = check(codeText, 'code')

/** The media type of a file. */
export const checkContentType = (given: string): string => {
  const parsed = artifactType.safeParse(given.trim())
  if (!parsed.success) throw refuseAt(['Content-Type'], 'Content-Type is a media type such as application/pdf.')
  return parsed.data
}

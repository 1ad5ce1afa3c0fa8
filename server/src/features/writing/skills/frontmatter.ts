import { skillLimits } from '@noema/contracts/skills.ts'
import { parseYaml } from '../../../shared/text/frontmatter.ts'
import { isJsonObject } from '../../../shared/text/json.ts'

// The frontmatter of SKILL.md, and the rules for the fields that the service knows.

/** The frontmatter as its author wrote it, with the parts that the service knows. */
export type Frontmatter = {
  name: string
  description: string
  license?: string
  compatibility?: string
  metadata?: Record<string, unknown>
  [field: string]: unknown
}

/** The frontmatter of a text, or why it is not that of a skill. */
export type ParsedFrontmatter = { frontmatter: Frontmatter } | { problem: string }

/** The characters of a SKILL.md that its frontmatter may have with its lines `---`. */
export const maxHeadLength = skillLimits.frontmatterLength + 32

const maxDepth = 8

const form = 'SKILL.md begins with frontmatter: a line ---, YAML with name and description, and a line ---.'

/** The YAML of a text that begins with frontmatter. */
const cutYaml = (text: string): string | undefined => {
  const head = text.slice(0, maxHeadLength).replace(/^\uFEFF/, '')
  return /^---[ \t]*\r?\n((?:.*\r?\n)*?)---[ \t]*(?:\r?\n|$)/.exec(head)?.[1]
}

/** True if a value is stored as JSON exactly, is not nested deeply, and has no name that would change an object. */
const isPlain = (value: unknown, depth = 0): boolean => {
  if (depth > maxDepth) return false
  if (Array.isArray(value)) return value.every((item) => isPlain(item, depth + 1))
  if (isJsonObject(value))
    return Object.keys(value).every((name) => name !== '__proto__' && isPlain(value[name], depth + 1))
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
}

const textRules = [
  ['license', 1, 1_000],
  ['compatibility', 1, 500],
] as const

/** The first problem of the fields of frontmatter. */
const findProblem = (fields: Record<string, unknown>, name: string): string | undefined => {
  if (!isPlain(fields))
    return 'The frontmatter of SKILL.md has a value that JSON has not, is nested too deeply, or has the name __proto__.'
  if (fields.name !== name)
    return `The name in SKILL.md is ${JSON.stringify(fields.name ?? null)}, and the skill is ${JSON.stringify(name)}. Write the same.`
  const { description, metadata } = fields
  if (typeof description !== 'string' || description.trim() === '' || description.length > 1_024)
    return 'SKILL.md needs a description of 1 to 1,024 characters: what the skill does and when to use it.'
  for (const [field, min, max] of textRules) {
    const value = fields[field]
    if (value !== undefined && (typeof value !== 'string' || value.length < min || value.length > max))
      return `In SKILL.md, ${field} is a text of ${min} to ${max.toLocaleString('en')} characters.`
  }
  if (metadata !== undefined && !isJsonObject(metadata)) return 'In SKILL.md, metadata is a map of names and values.'
  return undefined
}

/** Reads the frontmatter of a SKILL.md, of which the beginning is enough. */
export const parseFrontmatter = (text: string, name: string): ParsedFrontmatter => {
  const yaml = cutYaml(text)
  if (yaml === undefined || yaml.length > skillLimits.frontmatterLength)
    return { problem: `${form} It has at most ${skillLimits.frontmatterLength.toLocaleString('en')} characters.` }
  const parsed = parseYaml(yaml)
  if ('problem' in parsed) return { problem: `The frontmatter of SKILL.md ${parsed.problem}` }
  const { value } = parsed
  if (!isJsonObject(value)) return { problem: form }
  const problem = findProblem(value, name)
  return problem === undefined ? { frontmatter: value as Frontmatter } : { problem }
}

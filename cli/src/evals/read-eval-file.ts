import { parse } from 'yaml'
import { UsageError } from '../exit-codes.ts'
import { fromOpenAi } from './from-openai.ts'
import { fromPromptfoo } from './from-promptfoo.ts'
import { type Imported, isRecord } from './imported.ts'

const readLines = (text: string): unknown[] | undefined => {
  try {
    return text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => JSON.parse(line))
  } catch {
    return undefined
  }
}

const readYaml = (text: string): unknown => {
  try {
    return parse(text, { maxAliasCount: 100 })
  } catch (error) {
    throw new UsageError(`The file is neither JSON lines nor YAML: ${error instanceof Error ? error.message : ''}`)
  }
}

/** Reads a file of evals: a configuration of promptfoo (YAML or JSON), an export of OpenAI's evals, or its rows (JSON lines). */
export const readEvalFile = (text: string): Imported => {
  const lines = readLines(text)
  const [only, ...others] = lines ?? []
  const parsed = lines && (others.length > 0 || (isRecord(only) && only.item !== undefined)) ? lines : readYaml(text)
  if (isRecord(parsed) && parsed.tests !== undefined) return fromPromptfoo(parsed)
  return fromOpenAi(parsed)
}

import { provenance } from '@noema/contracts/common.ts'
import { searchBrain, searchHit } from '@noema/contracts/search.ts'
import { z } from 'zod'
import type { ToolResult } from '../api/tools/call-tool.ts'

// A client may pass text and data of a result to its model, which pays for both. So a search leaves out what a model has no
// use for: positions within texts, the score, which the order says, and the ids of the change and the key.

const hit = searchHit
  .omit({ highlights: true, span: true, score: true, provenance: true })
  .extend({ provenance: provenance.pick({ source: true, trust: true }).optional() })

const results = { knowledge_search: searchBrain.result.extend({ results: z.array(hit) }) }

const findResult = (tool: string) => (tool in results ? results[tool as keyof typeof results] : undefined)

const withoutEmpty = ({ provenance: origin, ...rest }: z.infer<typeof hit>): z.infer<typeof hit> =>
  origin === undefined || Object.keys(origin).length === 0 ? rest : { ...rest, provenance: origin }

/** The JSON Schema of a tool's result, where it has one. It has no descriptions: each client reads it with each list of tools. */
export const findOutputSchema = (tool: string) => {
  const result = findResult(tool)
  if (!result) return undefined
  const withoutWords = (name: string, value: unknown) =>
    name === '$schema' || (name === 'description' && typeof value === 'string') ? undefined : value
  return { ...JSON.parse(JSON.stringify(z.toJSONSchema(result), withoutWords)), type: 'object' as const }
}

/** The result of a tool as a model gets it: its text has every fact of its data. */
export const toModelResult = (tool: string, result: ToolResult): ToolResult => {
  const shape = findResult(tool)
  if (!shape || result.isError) return result
  const parsed = shape.parse(result.data)
  const data = { ...parsed, results: parsed.results.map(withoutEmpty) }
  return { ...result, texts: [JSON.stringify(data)], data }
}

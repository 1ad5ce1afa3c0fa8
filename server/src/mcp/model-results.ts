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

const toOutputSchema = (result: z.ZodType) => {
  // Without the descriptions and names of shared shapes that the contracts register.
  const { $schema: _dialect, ...schema } = z.toJSONSchema(result, { metadata: z.registry() })
  return { ...schema, type: 'object' as const }
}

const outputSchemas = new Map(Object.entries(results).map(([tool, result]) => [tool, toOutputSchema(result)]))

/**
 * The JSON Schema of a tool's result, where it has one. It has no descriptions, and describes everything in place: each client reads it
 * with each list of tools.
 */
export const findOutputSchema = (tool: string) => outputSchemas.get(tool)

/** The result of a tool as a model gets it: its text has every fact of its data. */
export const toModelResult = (tool: string, result: ToolResult): ToolResult => {
  const shape = findResult(tool)
  if (!shape || result.isError) return result
  const parsed = shape.parse(result.data)
  const data = { ...parsed, results: parsed.results.map(withoutEmpty) }
  return { ...result, texts: [JSON.stringify(data)], data }
}

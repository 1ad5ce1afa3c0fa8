import type { CodeExample } from '../components/code.tsx'

type Target = { baseUrl: string; handle: string }
type Decided = { id: string; items: readonly string[]; of: number }

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The decision of the page as code. */
export const decideCode = ({ baseUrl, handle }: Target, { id, items, of }: Decided): CodeExample => {
  const body = { decision: 'approved', ...(items.length > 0 && items.length < of && { items }) }
  const named = 'items' in body ? `, items: [${items.map((item) => JSON.stringify(item)).join(', ')}]` : ''
  return {
    curl: `curl ${quote(`${baseUrl}/v1/brains/${handle}/changes/${id}/decide`)} \\
  -H "authorization: Bearer $NOEMA_API_KEY" \\
  -H 'content-type: application/json' \\
  -d ${quote(JSON.stringify(body))}`,
    sdk: `import { createClient } from '@noema/sdk'

// Reads the key from NOEMA_API_KEY.
const client = createClient({ baseUrl: ${JSON.stringify(baseUrl)} })
const { change } = await client.brain(${JSON.stringify(handle)}).changes.decide(${JSON.stringify(id)}, { decision: 'approved'${named} })`,
  }
}

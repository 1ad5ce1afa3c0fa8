import { createClient } from '@noema/sdk'
import { createGapDetector } from '@noema/sdk/gap-detector'

/** Your store of the events' effects, with the cursor of the last event. */
type Store = { lastCursor: string | undefined; apply(event: { type: string; cursor: string }): Promise<void> }

export const createHandler = (baseUrl: string, apiKey: string, store: Store) => {
  const brain = createClient({ baseUrl, apiKey }).brain('handbook')
  const gaps = createGapDetector(brain, { after: store.lastCursor, onEvent: (event) => store.apply(event) })
  return gaps.receive
}

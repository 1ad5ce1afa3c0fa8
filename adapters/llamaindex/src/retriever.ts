import { BaseRetriever } from '@llamaindex/core/retriever'
import { type NodeWithScore, TextNode } from '@llamaindex/core/schema'
import type { BrainClient } from '@noema/sdk'
import { type PassageMetadata, type RetrievalOptions, retrievePassages } from '@noema/sdk/retrieval'
import { toText } from './text.ts'

/**
 * Retrieves passages of a Brain as nodes. `metadata` has the address of each (type, id, version), its score and evidence, and
 * the receipt of the read. Rejects with an `ApiError`.
 */
export class BrainRetriever extends BaseRetriever {
  private readonly brain: BrainClient
  private readonly options: RetrievalOptions

  constructor(brain: BrainClient, options: RetrievalOptions = {}) {
    super()
    this.brain = brain
    this.options = options
  }

  async _retrieve({ query }: { query: Parameters<typeof toText>[0] }): Promise<NodeWithScore<PassageMetadata>[]> {
    const passages = await retrievePassages(this.brain, toText(query), this.options)
    return passages.map(({ text, metadata }) => ({
      node: new TextNode({ id_: metadata.id, text, metadata }),
      score: metadata.score,
    }))
  }
}

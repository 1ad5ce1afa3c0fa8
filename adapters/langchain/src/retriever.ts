import type { CallbackManagerForRetrieverRun } from '@langchain/core/callbacks/manager'
import { Document } from '@langchain/core/documents'
import { BaseRetriever, type BaseRetrieverInput } from '@langchain/core/retrievers'
import type { RunnableConfig } from '@langchain/core/runnables'
import type { BrainClient } from '@noema/sdk'
import { type PassageMetadata, type RetrievalOptions, retrievePassages } from '@noema/sdk/retrieval'

/** Options of a retriever: what it reads, and LangChain's own. */
export type BrainRetrieverOptions = RetrievalOptions & BaseRetrieverInput

/**
 * Retrieves passages of a Brain as documents. `metadata` has the address of each (type, id, version), its score and evidence,
 * and the receipt of the read. Rejects with an `ApiError`, or with the signal's reason when the run is aborted.
 */
export class BrainRetriever extends BaseRetriever<PassageMetadata> {
  lc_namespace: string[] = ['noema', 'retrievers']
  private readonly brain: BrainClient
  private readonly options: RetrievalOptions

  constructor(brain: BrainClient, options: BrainRetrieverOptions = {}) {
    super(options)
    this.brain = brain
    this.options = options
  }

  override async invoke(input: string, config?: Partial<RunnableConfig>): Promise<Document<PassageMetadata>[]> {
    config?.signal?.throwIfAborted()
    return super.invoke(input, config)
  }

  override async _getRelevantDocuments(
    query: string,
    _callbacks?: CallbackManagerForRetrieverRun,
  ): Promise<Document<PassageMetadata>[]> {
    const passages = await retrievePassages(this.brain, query, this.options)
    return passages.map(({ text, metadata }) => new Document({ pageContent: text, metadata, id: metadata.id }))
  }
}

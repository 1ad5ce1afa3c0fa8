import { builtInSpace } from './built-in-model.ts'
import { ModelProcess, type ModelProcessOptions } from './model-process.ts'
import { type Embedder, EmbedderUnavailable } from './types.ts'

/** The embedder of a model on this machine: the built-in one, or one in a folder. It starts nothing yet. */
export const createChildEmbedder = (options: ModelProcessOptions): Embedder => {
  const process = new ModelProcess('embed', options)
  const embed: Embedder['embed'] = async (texts, kind) => {
    const answers = await process.run(texts, { kind })
    const space = answers[0]?.loaded.space ?? (await findSpace())
    if (answers.some(({ loaded }) => loaded.space !== space))
      throw new EmbedderUnavailable('The files of the embedding model were changed.')
    return { space, vectors: answers.flatMap(({ rows }) => rows) }
  }
  const findSpace = async (): Promise<string> => {
    if (options.chosenFolder === undefined) return builtInSpace
    // A chosen model is identified by its files, which are read when it is loaded.
    return process.loaded?.space ?? (await embed(['a text'], 'query')).space
  }
  return { space: findSpace, embed, close: () => process.close() }
}

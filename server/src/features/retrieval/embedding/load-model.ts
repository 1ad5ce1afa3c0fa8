import { builtInFolder, readBuiltInModel } from './built-in-model.ts'
import { readChosenModel, readRelevanceModel } from './chosen-model.ts'
import type { Model } from './model.ts'
import { loadRuntime, type Runtime } from './onnx-runtime.ts'
import type { Loaded, ProcessOptions } from './process-messages.ts'
import { openRelevanceModel } from './relevance-model.ts'
import { openSentenceModel } from './sentence-model.ts'

type Opened = { model: Model; bytes: number }

const openEmbedding = async (
  { chosenFolder }: ProcessOptions,
  runtime: Runtime,
  findBuiltIn: () => string,
): Promise<Opened> => {
  const parts = await (chosenFolder === undefined ? readBuiltInModel(findBuiltIn()) : readChosenModel(chosenFolder))
  return { model: await openSentenceModel(runtime, parts), bytes: parts.weights.length }
}

const openReranking = async ({ chosenFolder }: ProcessOptions, runtime: Runtime): Promise<Opened> => {
  if (chosenFolder === undefined) throw new Error('There is no built-in reranking model.')
  const parts = await readRelevanceModel(chosenFolder)
  return { model: await openRelevanceModel(runtime, parts), bytes: parts.weights.length }
}

/** Loads the model of a task, the built-in or the chosen one; throws with instructions where that is impossible. */
export const loadModel = async (options: ProcessOptions): Promise<{ model: Model; loaded: Loaded }> => {
  const findBuiltIn = () => options.builtInFolder ?? builtInFolder()
  const runtime = await loadRuntime(options.prefer, findBuiltIn)
  const { model, bytes } = await { embed: openEmbedding, rerank: openReranking }[options.task](
    options,
    runtime,
    findBuiltIn,
  )
  const { space, dimensions } = model
  return { model, loaded: { runtime: runtime.build, space, dimensions, bytes } }
}

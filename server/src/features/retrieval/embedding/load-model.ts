import { builtInFolder, readBuiltInModel } from './built-in-model.ts'
import { readChosenModel } from './chosen-model.ts'
import { loadRuntime } from './onnx-runtime.ts'
import type { Loaded, ProcessOptions } from './process-messages.ts'
import { type Model, openModel } from './sentence-model.ts'

/** Loads the built-in model, or the chosen one; throws with instructions where that is impossible. */
export const loadModel = async (options: ProcessOptions): Promise<{ model: Model; loaded: Loaded }> => {
  const findBuiltIn = () => options.builtInFolder ?? builtInFolder()
  const { chosenFolder } = options
  const parts = await (chosenFolder === undefined ? readBuiltInModel(findBuiltIn()) : readChosenModel(chosenFolder))
  const runtime = await loadRuntime(options.prefer, findBuiltIn)
  const model = await openModel(runtime, parts)
  const { space, dimensions } = model
  return { model, loaded: { runtime: runtime.build, space, dimensions, bytes: parts.weights.length } }
}

import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { EncoderParts } from './encoder.ts'
import type { RelevanceParts } from './relevance-model.ts'
import type { ModelParts, Pooling } from './sentence-model.ts'

// A model that the operator chose: a folder in the form in which Optimum exports models to ONNX, and which Transformers.js and
// sentence-transformers read. A file of its own adds settings that those do not have.

/** The possible files of weights, of which the first that exists is used: those of 8 bits are a quarter as large and faster. */
const weightFiles = ['onnx/model_quantized.onnx', 'onnx/model.onnx', 'model_quantized.onnx', 'model.onnx']

const ownFile = 'noema-model.json'

const maxWeights = 2 * 1024 ** 3 - 1
/** The tokens of a model that does not state its maximum, and the highest maximum: time grows with the square. */
const usualTokens = 512
const maxTokens = 2_048
/** The tokens of a query and a passage together that a reranking model reads: about 90 words. */
const usualRelevanceTokens = 128

const ownSchema = z.strictObject({
  weights: z
    .string()
    .regex(/^[\w.-]+(\/[\w.-]+)*\.onnx$/, 'the name of an .onnx file in this folder')
    .optional(),
  pooling: z.enum(['mean', 'cls']).optional(),
  maxTokens: z.int().min(8).max(maxTokens).optional(),
  queryPrefix: z.string().max(500).optional(),
  passagePrefix: z.string().max(500).optional(),
})

const poolingSchema = z.object({
  pooling_mode_cls_token: z.boolean().default(false),
  pooling_mode_mean_tokens: z.boolean().default(false),
})

const promptsSchema = z.object({ prompts: z.record(z.string(), z.string()).default({}) })
const lengthSchema = z.object({ max_seq_length: z.number().optional(), model_max_length: z.number().optional() })

const readIfThere = (folder: string, name: string): Promise<string | undefined> =>
  readFile(join(folder, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })

const readJson = async <Shape extends z.ZodType>(
  folder: string,
  name: string,
  schema: Shape,
): Promise<z.infer<Shape> | undefined> => {
  const text = await readIfThere(folder, name)
  if (text === undefined) return undefined
  try {
    return schema.parse(JSON.parse(text))
  } catch (error) {
    const what = error instanceof z.ZodError ? z.prettifyError(error) : 'it is no JSON'
    throw new Error(`${join(folder, name)} cannot be used: ${what}`)
  }
}

const findPooling = async (folder: string): Promise<Pooling> => {
  const stated = await readJson(folder, '1_Pooling/config.json', poolingSchema)
  if (!stated || stated.pooling_mode_mean_tokens) return 'mean'
  if (stated.pooling_mode_cls_token) return 'cls'
  throw new Error(
    `${join(folder, '1_Pooling/config.json')} asks for a pooling that is neither of the mean nor of the first token. Choose another model, or one of both by "pooling" in ${ownFile}.`,
  )
}

const findMaxTokens = async (folder: string): Promise<number> => {
  const sentences = await readJson(folder, 'sentence_bert_config.json', lengthSchema)
  const tokenizer = await readJson(folder, 'tokenizer_config.json', lengthSchema)
  const stated = sentences?.max_seq_length ?? tokenizer?.model_max_length ?? usualTokens
  // Some state a maximum without meaning.
  return stated >= 8 && stated <= usualTokens ? Math.floor(stated) : usualTokens
}

const readWeights = async (folder: string, requested: string | undefined): Promise<Buffer> => {
  for (const name of requested === undefined ? weightFiles : [requested]) {
    const file = join(folder, name)
    const about = await stat(file).catch(() => undefined)
    if (!about?.isFile()) continue
    const siblings = await readdir(join(file, '..'))
    if (about.size > maxWeights || siblings.some((other) => other.startsWith(`${name.split('/').at(-1)}_data`)))
      throw new Error(
        `${file} has its weights in a second file or is beyond 2 GB: choose a smaller export of the model.`,
      )
    return readFile(file)
  }
  throw new Error(
    `${folder} has no ${requested ?? weightFiles.join(' and no ')}: choose a folder with a model in ONNX.`,
  )
}

const hash = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')

type Own = z.infer<typeof ownSchema>

/** Reads what all models have. Throws with instructions where the folder is incomplete. */
const readEncoder = async (folder: string): Promise<{ own: Own; encoder: EncoderParts }> => {
  const own = (await readJson(folder, ownFile, ownSchema)) ?? {}
  const weights = await readWeights(folder, own.weights)
  const vocabulary = await readIfThere(folder, 'tokenizer.json')
  if (vocabulary === undefined)
    throw new Error(`${folder} has no tokenizer.json: take it from where the model was published.`)
  const settings = (await readIfThere(folder, 'tokenizer_config.json')) ?? '{}'
  return { own, encoder: { weights, vocabulary, settings, maxTokens: own.maxTokens ?? (await findMaxTokens(folder)) } }
}

/** A name that includes all that a model's numbers depend on: a changed file makes another name. */
const identify = ({ weights, vocabulary, settings }: EncoderParts, how: object): string =>
  hash([weights, vocabulary, settings, JSON.stringify(how)].map(hash).join()).slice(0, 16)

/** Reads an embedding model from its folder. Throws with instructions where the folder is incomplete. */
export const readChosenModel = async (folder: string): Promise<ModelParts> => {
  const { own, encoder } = await readEncoder(folder)
  const prompts = (await readJson(folder, 'config_sentence_transformers.json', promptsSchema))?.prompts ?? {}
  const how = {
    pooling: own.pooling ?? (await findPooling(folder)),
    maxTokens: encoder.maxTokens,
    prefixes: {
      query: own.queryPrefix ?? prompts.query ?? '',
      passage: own.passagePrefix ?? prompts.passage ?? prompts.document ?? '',
    },
  }
  const identity = identify(encoder, how)
  return { ...encoder, ...how, toSpace: (dimensions) => `onnx/${dimensions}/${identity}` }
}

/** Reads a reranking model from its folder. Throws with instructions where the folder is incomplete. */
export const readRelevanceModel = async (folder: string): Promise<RelevanceParts> => {
  const { own, encoder } = await readEncoder(folder)
  const maxTokens = own.maxTokens ?? Math.min(encoder.maxTokens, usualRelevanceTokens)
  return { ...encoder, maxTokens, space: `rerank/${identify(encoder, { maxTokens })}` }
}

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

// Real ONNX models of a few kB. One is a graph with one node, which looks up a vector for each word: texts with common words are near
// each other. The other counts the words that a query and a passage share. They are written as the bytes of their protocol buffers:
// https://github.com/onnx/onnx/blob/main/onnx/onnx.proto

const words = 'the a cat dog ship sleeps barks sails on sea query passage note one two three'.split(' ')
const special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', ':']
const vocabulary = [...special, ...words]

const varint = (value: number): number[] => {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest]
    bytes.push((rest % 128) + 128)
  }
}

const number = (field: number, value: number): Buffer => Buffer.from([...varint(field * 8), ...varint(value)])

const part = (field: number, content: string | Buffer | readonly Buffer[]): Buffer => {
  const bytes = Array.isArray(content) ? Buffer.concat(content) : Buffer.from(content as Buffer)
  return Buffer.concat([Buffer.from([...varint(field * 8 + 2), ...varint(bytes.length)]), bytes])
}

const float = 1
const int64 = 7

/** An input or output: its name, its type, and the names or numbers of its axes. */
const value = (field: number, name: string, type: number, axes: readonly (string | number)[]): Buffer => {
  const shape = axes.map((axis) => part(1, [typeof axis === 'string' ? part(2, axis) : number(1, axis)]))
  return part(field, [part(1, name), part(2, [part(1, [number(1, type), part(2, shape)])])])
}

/** The vectors of words: pseudo-random numbers, the same for each seed. */
const makeTable = (dimensions: number, seed: number): Float32Array => {
  let state = seed
  return Float32Array.from({ length: vocabulary.length * dimensions }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0
    return state / 2 ** 31
  })
}

const node = (operator: string, inputs: readonly string[], output: string, attributes: Record<string, number> = {}) =>
  part(1, [
    ...inputs.map((input) => part(1, input)),
    part(2, output),
    part(4, operator),
    ...Object.entries(attributes).map(([name, integer]) => part(5, [part(1, name), number(3, integer), number(20, 2)])),
  ])

const constant = (
  name: string,
  type: number,
  lengths: readonly number[],
  values: Float32Array | BigInt64Array,
): Buffer =>
  part(5, [
    ...lengths.map((length) => number(1, length)),
    number(2, type),
    part(8, name),
    part(9, Buffer.from(values.buffer)),
  ])

const toModel = (graph: readonly Buffer[]): Buffer =>
  Buffer.concat([number(1, 8), part(7, graph), part(8, [number(2, 13)])])

const makeGraph = (dimensions: number, seed: number): Buffer =>
  toModel([
    node('Gather', ['table', 'input_ids'], 'last_hidden_state'),
    part(2, 'words'),
    constant('table', float, [vocabulary.length, dimensions], makeTable(dimensions, seed)),
    value(11, 'input_ids', int64, ['batch', 'tokens']),
    value(12, 'last_hidden_state', float, ['batch', 'tokens', dimensions]),
  ])

/** The logit is the number of pairs of equal tokens, one of the query and one of the passage, less `offset`. */
const makeRelevanceGraph = (labels: number, offset: number): Buffer => {
  const axes = (name: string, ...numbers: number[]) =>
    constant(name, int64, [numbers.length], BigInt64Array.from(numbers, BigInt))
  return toModel([
    node('Unsqueeze', ['input_ids', 'two'], 'down'),
    node('Unsqueeze', ['input_ids', 'one'], 'across'),
    node('Equal', ['down', 'across'], 'same'),
    node('Cast', ['same'], 'equal', { to: float }),
    node('Cast', ['token_type_ids'], 'ofPassage', { to: float }),
    node('Sub', ['unit', 'ofPassage'], 'ofQuery'),
    node('Unsqueeze', ['ofPassage', 'one'], 'passage'),
    node('Unsqueeze', ['ofQuery', 'two'], 'query'),
    node('Mul', ['equal', 'passage'], 'inPassage'),
    node('Mul', ['inPassage', 'query'], 'inBoth'),
    node('ReduceSum', ['inBoth', 'both'], 'count', { keepdims: 0 }),
    node('Unsqueeze', ['count', 'one'], 'logit'),
    node('Sub', ['logit', 'offset'], 'logits'),
    part(2, 'relevance'),
    ...[axes('one', 1), axes('two', 2), axes('both', 1, 2)],
    constant('unit', float, [1], Float32Array.of(1)),
    constant('offset', float, [1, labels], new Float32Array(labels).fill(offset)),
    value(11, 'input_ids', int64, ['batch', 'tokens']),
    value(11, 'token_type_ids', int64, ['batch', 'tokens']),
    value(12, 'logits', float, ['batch', labels]),
  ])
}

const tokenizer = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: [],
  normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, lowercase: true },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: { type: 'BertProcessing', sep: ['[SEP]', 3], cls: ['[CLS]', 2] },
  decoder: null,
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(vocabulary.map((word, id) => [word, id])),
  },
}

const writeModel = async (folder: string, model: Buffer, files: Record<string, object>): Promise<string> => {
  await mkdir(join(folder, '1_Pooling'), { recursive: true })
  await writeFile(join(folder, 'model.onnx'), model)
  await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer))
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), JSON.stringify(content))
  return folder
}

/** Writes a model that judges how well a passage answers a query, by the words that both have, into a folder. */
export const writeRelevanceModel = (
  folder: string,
  { labels = 1, offset = 4, files = {} }: { labels?: number; offset?: number; files?: Record<string, object> } = {},
): Promise<string> => writeModel(folder, makeRelevanceGraph(labels, offset), files)

/** Writes a model of words into a folder, with files that describe its use. */
export const writeWordModel = (
  folder: string,
  {
    dimensions = 32,
    seed = 1,
    files = {},
  }: { dimensions?: number; seed?: number; files?: Record<string, object> } = {},
): Promise<string> => writeModel(folder, makeGraph(dimensions, seed), files)
